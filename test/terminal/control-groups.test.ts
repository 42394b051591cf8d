import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ControlGroups,
  joining,
  removeGroups,
  withGroups,
} from '../../src/main/terminal/process/control-groups';
import { membersOf } from '../../src/main/terminal/process/kill-tree';
import type { ProcessEntry, ProcessTable } from '../../src/main/terminal/process/process-table';

/** A folder in the shape of the system's groups. */
let mount = '';
beforeEach(async () => {
  mount = await mkdtemp(join(tmpdir(), 'lathe-groups-'));
  await writeFile(join(mount, 'cgroup.procs'), '');
});
afterEach(() => rm(mount, { recursive: true, force: true }));

const open = (own: string | null, mounts = [mount]) => ControlGroups.open('h', mounts, own);

const entry = (pid: number): ProcessEntry => ({
  ...{ pid, ppid: 1, pgid: pid, sid: pid, startTime: `t${pid}`, zombie: false },
});
const table = (...pids: number[]): ProcessTable => ({
  list: async () => pids.map(entry),
  startTime: async () => null,
  signal: async () => 'gone',
});

test('groups are made below the own one, where that is allowed', async () => {
  await mkdir(join(mount, 'app.scope'));
  expect(open('/app.scope')?.path).toBe(join(mount, 'app.scope', 'lathe-h'));
  expect(open('/gone.scope')).toBeNull();
  expect(open(null)).toBeNull();
  expect(open('/', [join(mount, 'none')])).toBeNull();
  expect(open('/', [join(mount, 'none'), mount])?.path).toBe(join(mount, 'lathe-h'));
});

test('a host that starts inside a terminal of another one leaves that terminal’s group', async () => {
  await mkdir(join(mount, 'lathe-outer', '7'), { recursive: true });
  expect(open('/lathe-outer/7')?.path).toBe(join(mount, 'lathe-h'));
  expect(await readFile(join(mount, 'cgroup.procs'), 'utf8')).toBe(String(process.pid));
});

test('whatever is in a group, or below it, belongs to its tree, and nothing of another group', async () => {
  const groups = open('/');
  const [one, two] = [groups?.next() ?? '', groups?.next() ?? ''];
  await mkdir(join(one, 'nested'));
  await writeFile(join(one, 'cgroup.procs'), '10\n11\n');
  await writeFile(join(one, 'nested', 'cgroup.procs'), '12\n');
  await writeFile(join(two, 'cgroup.procs'), '20\n');
  const entries = await withGroups(table(10, 12, 20, 30), () => [groups?.path ?? '']).list();
  const pids = (group: string) =>
    membersOf([{ hostId: 'h', group }], entries, new Set())
      .map(({ pid }) => pid)
      .sort();
  expect(pids(one)).toEqual([10, 12]);
  expect(pids(two)).toEqual([20]);
  expect(pids(groups?.path ?? '')).toEqual([10, 12, 20]);
});

test('groups without processes go, children first', async () => {
  const groups = open('/');
  const [empty, used] = [groups?.next() ?? '', groups?.next() ?? ''];
  await mkdir(join(empty, 'nested'));
  await writeFile(join(used, 'cgroup.procs'), '20\n');
  await removeGroups(groups?.path ?? '');
  expect(await readdir(groups?.path ?? '')).toEqual(['2']);
});

test('a program joins by itself before it starts', () => {
  expect(joining('/g/1', ['prog', 'a b'])).toEqual([
    ...['/bin/sh', '-c', expect.stringContaining('exec "$@"'), 'sh', '/g/1/cgroup.procs'],
    ...['prog', 'a b'],
  ]);
});
