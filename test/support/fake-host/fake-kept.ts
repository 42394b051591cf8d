import { implement } from '@orpc/server';
import type { SessionSummary } from '../../../src/shared/contract';
import { keptSessionsContract } from '../../../src/shared/contract-sessions';
import { ok } from '../../../src/shared/result';

const os = implement(keptSessionsContract);

/** Answers about sessions that are kept: a search finds its text in the first ones, wherever it is looked for. */
export const fakeKept = (sessions: () => readonly SessionSummary[]) => ({
  search: os.search.handler(async function* ({ input }) {
    const hits = sessions()
      .slice(0, 2)
      .flatMap(({ id, project, title }, at) =>
        (['user', 'assistant'] as const).map((who) => ({
          ...{ sessionId: id, project: at === 0 ? project : '/home/you/other', title, who },
          at: 1_700_000_000_000 - at,
          itemId: `${who}-${at}`,
          snippet: [
            { text: 'it is in the part about ', found: false },
            { text: input.text, found: true },
            { text: ', two lines further down than before', found: false },
          ],
        })),
      );
    yield ok({ hits, more: false, progress: null, note: null });
  }),
  readOther: os.readOther.handler(() => ok({ messages: [], start: 0, end: 0, size: 0 })),
  contentsOfOther: os.contentsOfOther.handler(() => ok({ prompts: [], more: false })),
  copyOther: os.copyOther.handler(() => ok({ sessionId: 'copied', project: '/p', prompt: null })),
  archive: os.archive.handler(() => ok(null)),
  restore: os.restore.handler(() => ok(null)),
  listTrash: os.listTrash.handler(() => ok([])),
  export: os.export.handler(async function* ({ input }) {
    yield ok(`# A session as ${input.format}\n`);
  }),
});
