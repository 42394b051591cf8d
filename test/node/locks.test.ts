import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeLocks } from '../../src/main/node/locks';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-locks-'));
  path = join(folder, 'deep', 'session.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('one holds it, the other is told who; given back it can be taken again', async () => {
  const locks = createNodeLocks();
  const first = await locks.acquire(path);
  const second = await locks.acquire(path);
  expect(second).toMatchObject({ ok: false, error: { pid: process.pid } });
  if (first.ok) await first.value();
  expect((await locks.acquire(path)).ok).toBe(true);
});

test.each([
  ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' })],
  ['an earlier process of the same number', JSON.stringify({ pid: process.pid, startTime: '1' })],
  ['nobody, because a crash left it empty', ''],
  ['nobody, because it is no lock', '[]'],
])('a lock held by %s is taken over', async (_name, content) => {
  path = join(folder, 'session.lock');
  await writeFile(path, content);
  expect((await createNodeLocks().acquire(path)).ok).toBe(true);
});
