import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { killTrees, membersOf, type TreeRoot } from '../../src/main/terminal/process/kill-tree';
import { Ledger, parseLedger } from '../../src/main/terminal/process/ledger';
import { createLeftovers } from '../../src/main/terminal/process/leftovers';
import { MemberWatch } from '../../src/main/terminal/process/member-watch';
import {
  type ProcessEntry,
  type ProcessTable,
  readTags,
} from '../../src/main/terminal/process/process-table';
import {
  parsePs,
  parseStat,
  parseWindowsProcesses,
  systemProcesses,
} from '../../src/main/terminal/process/system-processes';

const entry = (pid: number, ppid: number, extra: Partial<ProcessEntry> = {}): ProcessEntry => ({
  ...{ pid, ppid, pgid: pid, sid: 1, startTime: `t${pid}`, zombie: false },
  ...extra,
});

describe('THREATS 17: the members of a tree', () => {
  const root: TreeRoot = { hostId: 'host', terminalId: 'trm', pid: 10, startTime: 't10' };
  const tag = { host: 'host', terminal: 'trm' };
  test.each<[string, ProcessEntry[], number[]]>([
    [
      'root, children and grandchildren',
      [entry(10, 5), entry(11, 10), entry(12, 11), entry(13, 5)],
      [10, 11, 12],
    ],
    [
      'not the root when its pid has a new owner, nor its children',
      [entry(10, 5, { startTime: 'later' }), entry(11, 10)],
      [],
    ],
    ['orphans of its session', [entry(12, 1, { sid: 10 }), entry(13, 12)], [12, 13]],
    [
      'not the session of the pid’s new owner',
      [entry(10, 5, { startTime: 'later', sid: 10 }), entry(12, 1, { sid: 10 })],
      [],
    ],
    [
      'tagged processes wherever they are',
      [entry(20, 1, { ...tag, sid: 20 }), entry(21, 20)],
      [20, 21],
    ],
    [
      'not the same terminal id of another host',
      [entry(20, 1, { host: 'other', terminal: 'trm' })],
      [],
    ],
    ['not another terminal of this host', [entry(20, 1, { host: 'host', terminal: 'two' })], []],
    ['no zombies, but what is under them', [entry(10, 5, { zombie: true }), entry(11, 10)], [11]],
    [
      'not the spared, nor what only they lead to',
      [entry(10, 5), entry(99, 10), entry(98, 99)],
      [10],
    ],
    ['never the first process', [entry(1, 0, tag), entry(10, 1)], [10]],
    ['a circle of parents ends', [entry(10, 11), entry(11, 10)], [10, 11]],
  ])('are %s', (_what, entries, pids) => {
    const members = membersOf([root], entries, new Set([99]));
    expect(members.map((one) => one.pid).sort((a, b) => a - b)).toEqual(pids);
  });

  test('everything of a host', () => {
    const entries = [
      entry(20, 1, tag),
      entry(21, 1, { host: 'host', terminal: 'b' }),
      entry(22, 1),
    ];
    expect(
      membersOf([{ hostId: 'host' }], entries, new Set())
        .map((one) => one.pid)
        .sort(),
    ).toEqual([20, 21]);
  });
});

describe('killing', () => {
  /** Processes that end on some signals; what was signalled is written down. */
  function fakeTable(processes: Map<number, { endsOn: string[]; startTime?: string }>) {
    const sent: string[] = [];
    const table: ProcessTable = {
      list: async () =>
        [...processes].map(([pid, { startTime }]) =>
          entry(pid, pid === 10 ? 5 : 10, {
            host: 'h',
            terminal: 't',
            startTime: startTime ?? `t${pid}`,
          }),
        ),
      startTime: async (pid) => processes.get(pid)?.startTime ?? null,
      signal: async ({ pid }, signal) => {
        sent.push(`${signal} ${pid}`);
        if (processes.get(pid)?.endsOn.includes(signal)) processes.delete(pid);
        return 'sent';
      },
    };
    return { table, sent };
  }
  const roots: TreeRoot[] = [{ hostId: 'h', terminalId: 't' }];

  test('nothing to kill: nothing is sent', async () => {
    const { table, sent } = fakeTable(new Map());
    expect(await killTrees(roots, table, { graceMs: 60_000, spared: new Set() })).toEqual({
      killed: [],
      survivors: [],
    });
    expect(sent).toEqual([]);
  });

  test('what ends by TERM never sees KILL; what does not, does', async () => {
    const { table, sent } = fakeTable(
      new Map([
        [10, { endsOn: ['SIGTERM'] }],
        [11, { endsOn: ['SIGKILL'] }],
      ]),
    );
    const report = await killTrees(roots, table, { graceMs: 30, spared: new Set() });
    expect(report).toEqual({ killed: [10, 11], survivors: [] });
    expect(sent.filter((one) => one.startsWith('SIGKILL'))).toEqual(['SIGKILL 11']);
    expect(sent.filter((one) => one === 'SIGTERM 11')).toHaveLength(1);
    expect(sent.some((one) => one.startsWith('SIGHUP'))).toBe(false);
  });

  test('what cannot be killed is reported as alive', async () => {
    const { table } = fakeTable(
      new Map([
        [10, { endsOn: ['SIGTERM'] }],
        [11, { endsOn: [] }],
      ]),
    );
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const report = killTrees(roots, table, { graceMs: 0, spared: new Set() });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await report).toEqual({ killed: [10], survivors: [11] });
  });

  test('what was met is killed also when it has left its parent, its session and its environment', async () => {
    const looks = [
      [entry(10, 5, { host: 'h', terminal: 't' }), entry(11, 10)],
      [entry(11, 1, { sid: 11 })],
      [entry(11, 1, { sid: 11 })],
      [],
    ];
    const sent: string[] = [];
    const table: ProcessTable = {
      list: async () => looks.shift() ?? [],
      startTime: async () => null,
      signal: async ({ pid }, signal) => {
        sent.push(`${signal} ${pid}`);
        return 'sent';
      },
    };
    const report = await killTrees(roots, table, { graceMs: 0, spared: new Set() });
    expect(sent).toContain('SIGKILL 11');
    expect(report).toEqual({ killed: [10, 11], survivors: [] });
  });

  test('the real table signals nobody whose start time is another', async () => {
    const table = systemProcesses();
    const startTime = await table.startTime(process.pid);
    expect(startTime).not.toBeNull();
    expect(await table.signal({ pid: process.pid, startTime: 'another' }, 'SIGKILL')).toBe('gone');
    expect(await table.startTime(2 ** 22 + 1)).toBeNull();
    const own = (await table.list()).find((one) => one.pid === process.pid);
    expect(own).toMatchObject({ ppid: process.ppid, startTime, zombie: false });
  });
});

describe('reading process tables', () => {
  test.each([
    [
      '42 (a) b (c)) S 1 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0',
      { pid: 42, ppid: 1, startTime: 'boot/777', zombie: false },
    ],
    ['42 (x) Z 1 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0', { zombie: true }],
    ['nonsense', null],
    ['42 (x) S', null],
  ])('Linux: %s', (stat, expected) => {
    const parsed = parseStat(stat, 'boot');
    if (expected === null) expect(parsed).toBeNull();
    else expect(parsed).toMatchObject(expected);
  });

  test('macOS', () => {
    const output = [
      '    1     0     1 Ss   Sat Nov 21 20:00:00 2026     /sbin/launchd',
      '  501     1   501 S+   Sat Nov 21 21:59:03 2026     sleep 600 PATH=/bin LATHE_TERMINAL=trm_1 LATHE_TERMINAL_HOST=h_1 A=b',
      '  502   501   501 Z    Sat Nov  1 01:09:03 2026     (bash)',
      '',
    ].join('\n');
    expect(parsePs(output)).toEqual([
      {
        ...{ pid: 1, ppid: 0, pgid: 1, sid: 0, startTime: 'Sat Nov 21 20:00:00 2026' },
        ...{ zombie: false, name: 'launchd' },
      },
      {
        ...{ pid: 501, ppid: 1, pgid: 501, sid: 0, startTime: 'Sat Nov 21 21:59:03 2026' },
        ...{ zombie: false, name: 'sleep', terminal: 'trm_1', host: 'h_1' },
      },
      {
        pid: 502,
        ppid: 501,
        pgid: 501,
        sid: 0,
        startTime: 'Sat Nov 1 01:09:03 2026',
        zombie: true,
        name: '(bash)',
      },
    ]);
    expect(parsePs(' 7 1 7 S Sat Nov 21 21:59:03 2026\n')[0]?.pid).toBe(7);
  });

  test('Windows', () => {
    expect(parseWindowsProcesses('4 0 \r\n88 4 639000000000000000\r\nbanner\r\n')).toMatchObject([
      { pid: 4, ppid: 0, startTime: '' },
      { pid: 88, ppid: 4, startTime: '639000000000000000' },
    ]);
  });

  test.each([
    ['LATHE_TERMINAL=a\0LATHE_TERMINAL_HOST=b\0', { terminal: 'a', host: 'b' }],
    ['X=LATHE_TERMINAL=a\0', {}],
    ['MY_LATHE_TERMINAL=a\0PATH=/bin', {}],
    ['', {}],
  ])('tags in %j', (environment, tags) => {
    expect(readTags(environment, '\0')).toEqual(tags);
  });
});

describe('the ledger', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lathe-ledger-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const owner = { hostId: 'dead', pid: 77, startTime: 't77' };
  const start = (terminalId: string) => ({ terminalId, sessionId: 'ses', command: 'npm start' });
  const identity = (pid: number) => ({ pid, startTime: `t${pid}` });
  const add = (ledger: Ledger, terminalId: string, pid: number) => {
    ledger.starting(start(terminalId));
    ledger.started(terminalId, identity(pid));
  };
  /** A table of processes that nobody may signal. */
  const tableOf = (entries: readonly ProcessEntry[]): ProcessTable => ({
    list: async () => entries,
    startTime: async (pid) => entries.find((one) => one.pid === pid)?.startTime ?? null,
    signal: async () => {
      throw new Error('It was signalled.');
    },
  });
  const leftIn = async (entries: readonly ProcessEntry[]) =>
    (await createLeftovers(folder, tableOf(entries)).list()).map(
      ({ terminalId, sessionId, command, processes }) => ({
        ...{ terminalId, sessionId, command },
        pids: processes.map(({ pid }) => pid),
      }),
    );

  test('names what a dead host left, by identity and by tag, also of what had ended', async () => {
    const ledger = new Ledger(folder, owner);
    add(ledger, 'one', 10);
    add(ledger, 'two', 20);
    add(ledger, 'reused', 30);
    ledger.ended('two');
    const about = { sessionId: 'ses', command: 'npm start' };
    const nobody = { sessionId: undefined, command: undefined };
    expect(
      await leftIn([
        entry(10, 1),
        entry(21, 1, { host: 'dead', terminal: 'two' }),
        entry(22, 1, { host: 'dead', terminal: 'older' }),
        entry(23, 1, { host: 'alive', terminal: 'two' }),
        entry(30, 1, { startTime: 'later' }),
        entry(31, 1, { sid: 30 }),
        entry(32, 1, { sid: 10 }),
      ]),
    ).toEqual([
      { terminalId: 'one', ...about, pids: [10] },
      { terminalId: 'two', ...about, pids: [21] },
      { terminalId: 'older', ...nobody, pids: [22] },
    ]);
  });

  test('that cannot be removed ends no host', async () => {
    const ledger = new Ledger(folder, owner);
    const [name = ''] = await readdir(folder);
    await rm(join(folder, name));
    await mkdir(join(folder, name));
    expect(() => ledger.remove()).not.toThrow();
  });

  test('names what was written down before its program ran', async () => {
    new Ledger(folder, owner).starting(start('one'));
    const found = await leftIn([entry(10, 1, { host: 'dead', terminal: 'one' }), entry(11, 10)]);
    expect(found).toMatchObject([{ terminalId: 'one', sessionId: 'ses', pids: [10, 11] }]);
  });

  test('names processes without a tag that were seen, also when their terminal has ended', async () => {
    const ledger = new Ledger(folder, owner);
    add(ledger, 'one', 10);
    ledger.members('one', [identity(15), identity(16)]);
    ledger.ended('one');
    const entries = [entry(15, 1), entry(16, 1, { startTime: 'later' }), entry(17, 15)];
    expect(await leftIn(entries)).toMatchObject([{ terminalId: 'one', pids: [15, 17] }]);
  });

  test('of a living host is none of our business; of a dead one with nothing left it is deleted', async () => {
    add(new Ledger(folder, owner), 'one', 10);
    expect(await leftIn([entry(77, 1), entry(10, 77)])).toEqual([]);
    expect(await readdir(folder)).toEqual(['terminals-dead.jsonl']);
    expect(await leftIn([])).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('is forgotten when its processes may run on', async () => {
    add(new Ledger(folder, owner), 'one', 10);
    const living = { hostId: 'living', pid: 78, startTime: 't78' };
    new Ledger(folder, living);
    const entries = [entry(10, 1), entry(78, 1)];
    await createLeftovers(folder, tableOf(entries)).forget();
    expect(await readdir(folder)).toEqual(['terminals-living.jsonl']);
    expect(await leftIn(entries)).toEqual([]);
  });

  test('survives a torn last line and nonsense', async () => {
    const text = `${JSON.stringify({ owner })}\n{"starting":${JSON.stringify(start('a'))}}\n[]\nnull\n\0\0\n{"starting":{"termi`;
    expect([...(parseLedger(text)?.entries.keys() ?? [])]).toEqual(['a']);
    expect(parseLedger('')).toBeNull();
    await writeFile(join(folder, 'terminals-x.jsonl'), '\0\0\0');
    expect(await leftIn([])).toEqual([]);
  });

  test('does not grow for ever, and keeps what lives or left something', async () => {
    const ledger = new Ledger(folder, owner);
    add(ledger, 'stays', 5);
    add(ledger, 'left', 6);
    ledger.members('left', [identity(7)]);
    ledger.ended('left');
    for (let at = 0; at < 8_000; at += 1) {
      ledger.starting({ ...start(`t${at}`), command: 'x'.repeat(150) });
      ledger.ended(`t${at}`);
    }
    const text = await readFile(join(folder, 'terminals-dead.jsonl'), 'utf8');
    expect(text.length).toBeLessThan(1_100_000);
    const { entries, ended } = parseLedger(text) ?? {};
    expect([ended?.has('stays'), ended?.has('left')]).toEqual([false, true]);
    expect(entries?.get('stays')?.root).toEqual(identity(5));
    expect(entries?.get('left')?.members).toEqual([identity(7)]);
  });
});

describe('the watch over members', () => {
  const watchOf = (looks: readonly (readonly ProcessEntry[])[]) => {
    const told: string[] = [];
    let at = 0;
    const watch = new MemberWatch({
      hostId: 'host',
      processes: { list: async () => looks[at++] ?? [] },
      spared: new Set(),
      roots: () => [{ hostId: 'host', terminalId: 't', pid: 10, startTime: 't10' }],
      changed: (terminalId, untagged) => {
        told.push(`${terminalId} ${untagged.map(({ pid }) => pid)}`);
      },
      failed: () => undefined,
    });
    return { watch, told };
  };
  const tag = { host: 'host', terminal: 't' };

  test('knows a process that left parent, session and environment after a look, until it ends', async () => {
    const { watch, told } = watchOf([
      [entry(10, 5, tag), entry(11, 10, { ...tag, sid: 11 })],
      [entry(10, 5, tag), entry(11, 1, { sid: 11 }), entry(99, 1)],
      [entry(11, 1, { sid: 11 }), entry(12, 11)],
      [entry(11, 1, { startTime: 'later' })],
    ]);
    const seen: number[][] = [];
    for (let look = 0; look < 4; look += 1) {
      await watch.look();
      seen.push(watch.seen('t').map(({ pid }) => pid));
    }
    expect(seen.map((pids) => pids.toSorted())).toEqual([[10, 11], [10, 11], [11, 12], []]);
    expect(told).toEqual(['t 11', 't 11,12', 't ']);
  });
});
