import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
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
  expect(second).toEqual({ ok: false, error: { pid: process.pid } });
  if (first.ok) await first.value();
  const third = await locks.acquire(path);
  expect(third.ok).toBe(true);
  if (third.ok) await third.value();
});

test('of many at once one gets it; who waits gets it in turn, and no two have it together', async () => {
  const locks = createNodeLocks();
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => locks.acquire(path)));
  const [winner, ...more] = atOnce.flatMap((lock) => (lock.ok ? [lock.value] : []));
  expect(more).toEqual([]);
  let holders = 1;
  const waiting = Array.from({ length: 4 }, async () => {
    const lock = await locks.acquire(path, new AbortController().signal);
    if (!lock.ok) throw new Error('not acquired');
    holders += 1;
    expect(holders).toBe(1);
    holders -= 1;
    await lock.value();
  });
  holders -= 1;
  await winner?.();
  await Promise.all(waiting);
});

test('who waits gives up when told to', async () => {
  const locks = createNodeLocks();
  const held = await locks.acquire(path);
  const giveUp = new AbortController();
  const waiting = locks.acquire(path, giveUp.signal);
  giveUp.abort();
  expect(await waiting).toEqual({ ok: false, error: { pid: process.pid } });
  if (held.ok) await held.value();
});

test('it is the same lock by whatever path its folder is reached', async () => {
  const locks = createNodeLocks();
  const held = await locks.acquire(path);
  await symlink(join(folder, 'deep'), join(folder, 'link'));
  expect((await locks.acquire(join(folder, 'link', 'session.lock'))).ok).toBe(false);
  if (held.ok) await held.value();
});

test('a killed process leaves no lock behind, whatever its file says', async () => {
  const module = JSON.stringify(join(import.meta.dirname, '../../src/main/node/locks.ts'));
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => next(/^[.].*[/]\\w[\\w-]*$/.test(name) ? name + '.ts' : name, context) });
    const { createNodeLocks } = await import(${module});
    const lock = await createNodeLocks().acquire(${JSON.stringify(path)});
    process.stdout.write(lock.ok ? 'held' : 'busy');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('held');
  expect(await createNodeLocks().acquire(path)).toEqual({ ok: false, error: { pid: child.pid } });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const taken = await createNodeLocks().acquire(path, AbortSignal.timeout(60_000));
  expect(taken.ok).toBe(true);
  if (taken.ok) await taken.value();
});

test.each(['', '[]', JSON.stringify({ pid: process.pid })])(
  'a file that says %j holds nothing by itself',
  async (content) => {
    path = join(folder, 'session.lock');
    await writeFile(path, content);
    const lock = await createNodeLocks().acquire(path);
    expect(lock.ok).toBe(true);
    if (lock.ok) await lock.value();
  },
);
