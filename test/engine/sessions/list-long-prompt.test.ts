import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeLine } from '../../../src/main/engine/event-log';
import { listSessions } from '../../../src/main/engine/sessions/list';
import { startLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import type { UserBlock } from '../../../src/shared/message';
import { pastedText } from '../../../src/shared/paste';
import { countingIds, memoryClock } from '../../support/memory-clock';

const SESSION = { sessionId: 'session-0001', project: '/p' };

let latheHome: string;
beforeEach(async () => {
  latheHome = await mkdtemp(join(tmpdir(), 'lathe-long-prompt-'));
});
afterEach(() => rm(latheHome, { recursive: true, force: true }));

const picture = (bytes: number): UserBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(bytes) },
});
const text = (words: string): UserBlock => ({ type: 'text', text: words });

it.each<[string, readonly UserBlock[], string]>([
  ['a picture', [text('What is wrong here?'), picture(100_000)], 'What is wrong here?'],
  ['pictures', [text('And here?'), picture(3_000_000), picture(3_000_000)], 'And here?'],
  ['a pasted text alone', [text(pastedText('high tide\n'.repeat(200_000)))], 'high tide'],
])(
  'a session without a title whose first prompt brings %s is listed by its words',
  async (_, content, title) => {
    const files = createNodeFiles();
    const log = await startLog(
      { files, clock: memoryClock(), ids: countingIds(), locks: createNodeLocks(), latheHome },
      { ...SESSION, demo: false },
    );
    if (!log.ok) throw new Error(log.error.message);
    await log.value.log.close();
    await log.value.release();
    const { file } = sessionPaths(latheHome, SESSION.project, SESSION.sessionId);
    const prompt = encodeLine({
      at: 1,
      event: { type: 'user_message', id: 'msg_1', content: [...content], synthetic: false },
    });
    await writeFile(file, `${await readFile(file, 'utf8')}${prompt}`);
    expect(await listSessions(files, latheHome, SESSION.project)).toMatchObject([{ title }]);
  },
);
