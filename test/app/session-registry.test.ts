import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSessionRegistry, forkTitle } from '../../src/main/app/session-registry';
import { sessionPaths } from '../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../src/main/node/files';
import type { SessionSummary } from '../../src/shared/contract';
import { err, fault } from '../../src/shared/result';
import { createTestLocks } from '../support/locks';
import { memoryClock } from '../support/memory-clock';

it.each([
  ['Fix login', [], 'Fix login (2)'],
  ['Fix login', ['Fix login (2)', 'Fix login (3)'], 'Fix login (4)'],
  ['Fix login (2)', ['Fix login (2)'], 'Fix login (3)'],
  ['Fix (all) logins', [], 'Fix (all) logins (2)'],
] as const)('a copy of %s beside %j is %s', (title, taken: readonly string[], expected) =>
  expect(forkTitle(title, new Set(taken))).toBe(expected),
);

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = 1_000 * DAY_MS;
const files = createNodeFiles();
let latheHome = '';
beforeEach(async () => {
  latheHome = await mkdtemp(join(tmpdir(), 'lathe-registry-'));
});
afterEach(() => rm(latheHome, { recursive: true, force: true }));

const idOf = (place: number) => `11111111-2222-4333-8444-${String(place).padStart(12, '0')}`;

/** Writes a session that was used last so many days ago. */
async function write(project: string, place: number, days: number, archived = false) {
  const { file } = sessionPaths(latheHome, project, idOf(place));
  const at = NOW - days * DAY_MS;
  const lines = [
    { type: 'session_started', version: 1, cwd: project, createdAt: at },
    { type: 'title_changed', title: `${days} days` },
  ];
  await files.write(file, lines.map((event) => `${JSON.stringify({ at, event })}\n`).join(''));
  await files.touch(file, at);
  if (archived) await files.write(file.replace('.jsonl', '.archived'), '');
}

it('moves the sessions of a project that nobody used for so many days into the trash, where they can be had back', async () => {
  for (const [place, days] of [0, 29, 31, 500].entries()) await write('/srv/harbour', place, days);
  await write('/srv/harbour', 4, 500, true);
  await write('/srv/jetty', 5, 500);
  let listed: readonly SessionSummary[] = [];
  const registry = createSessionRegistry({
    ...{ files, latheHome, locks: createTestLocks(), clock: memoryClock(NOW) },
    openRuntime: async () => err(fault('none', 'No session is opened here.')),
    onChanged: (summaries) => {
      listed = summaries;
    },
  });
  await registry.addProject('/srv/harbour');
  await registry.addProject('/srv/jetty');
  const titles = () => listed.map(({ id }) => Number(id.slice(-12))).sort();
  expect(titles()).toEqual([0, 1, 2, 3, 4, 5]);
  await registry.removeUnused('/srv/harbour', 30);
  expect(titles()).toEqual([0, 1, 4, 5]);
  expect(await registry.restore(idOf(3))).toMatchObject({ ok: true });
  await registry.removeUnused('/srv/harbour', 30);
  expect(titles()).toEqual([0, 1, 3, 4, 5]);
});
