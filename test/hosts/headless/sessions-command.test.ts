import { expect, it } from 'vitest';
import { searchSessions } from '../../../src/main/hosts/headless/sessions-command';
import { err, fault, ok, type Result } from '../../../src/shared/result';
import type { SearchAnswer } from '../../../src/shared/session-search';

const hit = (title: string, text: string) => ({
  ...{ sessionId: 'ses_1', project: '/p', title, at: 0, who: 'user' as const, itemId: 'i' },
  snippet: [
    { text: 'a ', found: false },
    { text, found: true },
  ],
});
const NONE: SearchAnswer = { hits: [], more: false, progress: null, note: null };

async function run(answers: readonly Result<SearchAnswer>[]) {
  const [printed, said]: [string[], string[]] = [[], []];
  const done = await searchSessions(
    'lamp',
    {
      search: async function* () {
        yield* answers;
      },
      out: {
        closed: false,
        line: async () => {},
        text: async (text) => void printed.push(text),
      },
      complain: (line) => said.push(line),
    },
    new AbortController().signal,
  );
  return { done, printed, said };
}

it('prints the findings of the last answer, newest last, without control characters', async () => {
  const { done, printed, said } = await run([
    ok({ ...NONE, progress: { done: 1, total: 3 } }),
    ok({ ...NONE, hits: [hit('New', 'lamp\u001b[31m'), hit('', 'lamp')], more: true }),
  ]);
  expect(done).toBe(true);
  expect(printed).toEqual([
    '1970-01-01  ses_1  (/p)\n  user: a lamp\n  lathe -p --resume ses_1\n\n',
    '1970-01-01  New  (/p)\n  user: a lamp [31m\n  lathe -p --resume ses_1\n\n',
  ]);
  expect(said).toEqual([
    'Reading the sessions: 1 of 3 so far',
    'There are more: add words to narrow the search.',
  ]);
});

it.each([
  ['nothing found', [ok({ ...NONE, note: 'Slow.' })], true, ['Slow.', 'No conversation has that.']],
  ['a failure', [err(fault('search_failed', 'No.'))], false, ['No.']],
  ['an interruption', [], false, []],
] as const)('tells of %s', async (_, answers, done, said) => {
  expect(await run(answers)).toEqual({ done, printed: [], said });
});
