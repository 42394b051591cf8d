import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { encodeLine } from '../../../src/main/engine/event-log';
import { findSession } from '../../../src/main/engine/sessions/list';
import { forkLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import { tempFolder } from '../../node/temp-folder';
import { countingIds, memoryClock } from '../../support/memory-clock';

const SOURCE = { sessionId: 'session-0001', project: '/p' };
const STARTED = encodeLine({
  at: 1,
  event: { type: 'session_started', version: 1, cwd: '/p', createdAt: 1 },
});
const TITLED = encodeLine({ at: 1, event: { type: 'title_changed', title: 'one' } });

/** Copies a session whose log is this text. */
async function copyOf(text: string) {
  const latheHome = await tempFolder();
  const { file } = sessionPaths(latheHome, SOURCE.project, SOURCE.sessionId);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const services = {
    ...{ files: createNodeFiles(), clock: memoryClock(), ids: countingIds() },
    ...{ locks: createNodeLocks(), latheHome },
  };
  const copy = await forkLog(services, { ...SOURCE, file }, 'session-0002');
  if (!copy.ok) throw new Error(copy.error.message);
  const { log, release, problems } = copy.value;
  const notices = JSON.stringify(log.transcript().active);
  await log.close();
  await release();
  expect(await readFile(file, 'utf8')).toBe(text);
  const found = await findSession(createNodeFiles(), latheHome, 'session-0002');
  return { found, notices, told: problems.map(({ message }) => message) };
}

it.each<[string, string, readonly string[]]>([
  [
    'lines that are no events',
    'x\n',
    ["1 line of this session's file could not be read", 'line 3'],
  ],
  ['a torn end', '{"at":1,"ev', ["The last line of this session's file is torn (11 bytes)."]],
  ['records of a later version', '{"at":2,"event":{"type":"from_the_future"}}\n', []],
])('what a copy does not have of a log is told in it: %s', async (_, end, words) => {
  const { notices, told } = await copyOf(`${STARTED}${TITLED}${end}`);
  expect(told).toHaveLength(words.length === 0 ? 0 : 1);
  for (const one of words) {
    expect(told[0]).toContain(one);
    expect(notices).toContain(one);
  }
});

it('a copy of a session that lost its first line has one of its own', async () => {
  const { found, told } = await copyOf(`${STARTED.slice(0, -9)}\n${TITLED}`);
  expect(told[0]).toContain("The beginning of this session's file is lost.");
  expect(found).toMatchObject({ title: 'one', project: '/p' });
});
