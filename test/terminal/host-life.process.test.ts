import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { PROTOCOL } from '../../src/main/terminal/protocol/control';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import { ok } from '../../src/shared/result';
import { type TerminalHostState, UnheardEnd, unheardEndPath } from '../../src/shared/terminal';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, isAlive, shell, spawned, stoppedChildren, until, untilOutput } from './support';

/** Starts terminals that end with the test. One that runs beside others gives its own `onFinished`. */
async function start(
  options?: Parameters<typeof startTestTerminals>[0],
  onFinished: TestContext['onTestFinished'] = onTestFinished,
): Promise<TestTerminals> {
  const terminals = await startTestTerminals(options);
  onFinished(() => terminals.stop());
  return terminals;
}
afterEach(() => void vi.restoreAllMocks());

const hostPid = async (terminals: TestTerminals): Promise<number> => {
  const record = await readHostRecord(hostPlace(terminals.runFolder));
  if (record === null) throw new Error('No host is published.');
  return record.pid;
};

describe('starting', () => {
  test('nothing is started to list, to wait or to close', async () => {
    const terminals = await start();
    expect(await terminals.client.list()).toEqual([]);
    expect(await terminals.client.exited('x')).toMatchObject({ lost: expect.any(String) });
    expect(await terminals.client.kill('x', 0)).toEqual({ killed: [], survivors: [] });
    await terminals.client.close({ keepTerminals: false });
    await expect(stat(terminals.runFolder)).rejects.toThrow();
  });

  test('the run folder, the socket and the token are for their owner only', async () => {
    const terminals = await start();
    await mkdir(terminals.runFolder, { mode: 0o755 });
    await spawned(terminals.client, bash(terminals, 'umask'));
    const modes = await Promise.all(
      ['', `terminal-host-v${PROTOCOL}.sock`, `terminal-host-v${PROTOCOL}.json`].map(
        async (name) => (await stat(join(terminals.runFolder, name))).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    const ledger = (await readdir(terminals.runFolder)).find((name) => name.endsWith('.jsonl'));
    expect((await stat(join(terminals.runFolder, ledger ?? ''))).mode & 0o777).toBe(0o600);
  });

  test('clients that start at the same moment share one host', async () => {
    const terminals = await start();
    const clients = [
      terminals.client,
      terminals.connect(),
      terminals.connect(),
      terminals.connect(),
    ];
    const specs = clients.map(() => bash(terminals, 'sleep 600'));
    await Promise.all(
      clients.map((client, at) => client.spawn(specs[at] ?? specs[0] ?? bash(terminals, ''))),
    );
    const ids = specs.map((spec) => spec.id).sort();
    for (const client of clients)
      expect((await client.list()).map((info) => info.id).sort()).toEqual(ids);
  });

  test('what a dead host left in the run folder is in nobody’s way', async () => {
    const terminals = await start();
    const place = hostPlace(terminals.runFolder);
    await mkdir(terminals.runFolder);
    await writeFile(place.socket, '');
    await writeFile(place.record, '{"pid": 1, "socket": "/nowhere", "token": "x"}');
    const tied = join(terminals.runFolder, `terminal-host-v${PROTOCOL}-tied-x`);
    await writeFile(`${tied}.json`, JSON.stringify({ pid: 2 ** 22 + 1, socket: `${tied}.sock` }));
    await writeFile(`${tied}.sock`, '');
    await spawned(terminals.client, bash(terminals, 'true'));
    expect((await readdir(terminals.runFolder)).filter((name) => name.includes('tied'))).toEqual(
      [],
    );
  });

  test('a folder with a long path works as well', async () => {
    const terminals = await start();
    const runFolder = join(terminals.folder, 'long'.repeat(30), 'run');
    const place = hostPlace(runFolder);
    expect(Buffer.byteLength(place.socket)).toBeLessThan(100);
    const { createTerminalClient } = await import('../../src/main/terminal/client/terminal-client');
    const { buildTerminalHost } = await import('../support/build-entry');
    const client = createTerminalClient({
      runFolder,
      launch: { execPath: process.execPath, args: [await buildTerminalHost()], version: '' },
    });
    await spawned(client, bash(terminals, 'true'));
    expect((await stat(dirname(place.socket))).mode & 0o777).toBe(0o700);
    expect((await readHostRecord(place))?.socket).toBe(place.socket);
    await client.close({ keepTerminals: false });
  });

  test('a host that cannot start says why', async () => {
    const terminals = await start({ hostArgs: ['--no-such-option'] });
    const result = await terminals.client.spawn(bash(terminals, 'true'));
    expect(result).toMatchObject({ ok: false, error: { code: 'terminal_host' } });
  });

  test('keys do not reach the host or its children', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'sk-secret';
    try {
      const terminals = await start();
      const { pid } = await spawned(terminals.client, bash(terminals, 'sleep 600'));
      for (const each of [pid, await hostPid(terminals)])
        expect(await readFile(`/proc/${each}/environ`, 'utf8')).not.toContain('sk-secret');
    } finally {
      delete process.env['ANTHROPIC_API_KEY'];
    }
  });
});

describe('durable terminals', () => {
  test('outlive their client and come back with screen, scrollback and end', async () => {
    const terminals = await start();
    const [one, two] = [shell(terminals), bash(terminals, 'seq 1 500; exit 6')];
    await spawned(terminals.client, one);
    await spawned(terminals.client, two);
    const pane = await TestPane.open(terminals.client, one.id);
    await pane.untilText('$');
    pane.type('seq 1 300; cd /; echo here-$PWD\n');
    await pane.untilText('here-/\n');
    const before = await pane.text();
    await terminals.client.exited(two.id);
    await terminals.client.close({ keepTerminals: true });

    const later = terminals.connect();
    expect((await later.list()).map((info) => info.id)).toEqual([one.id, two.id]);
    expect(await later.exited(two.id)).toMatchObject({ exitCode: 6 });
    const again = await TestPane.open(later, one.id);
    await again.untilText('here-/\n');
    expect(await again.text()).toBe(before);
    again.type('pwd\n');
    await again.untilText('\n/\n');
  });

  test('an end that nobody is there to hear stands beside the output when the host has gone', async () => {
    const terminals = await start({ hostArgs: ['--idle-ms', '500'] });
    const outputFile = join(terminals.folder, 'unheard.output');
    const go = join(terminals.folder, 'go');
    const command = `echo begun; until [ -e ${go} ]; do sleep 0.05; done; echo done; exit 3`;
    const spec = bash(terminals, command, { outputFile });
    await spawned(terminals.client, spec);
    const heard = bash(terminals, 'exit 0', { outputFile: join(terminals.folder, 'heard.output') });
    await spawned(terminals.client, heard);
    await terminals.client.exited(heard.id);
    const host = await hostPid(terminals);
    await terminals.client.close({ keepTerminals: true });
    await writeFile(go, '');
    await until(() => !isAlive(host));
    const end = JSON.parse(await readFile(unheardEndPath(outputFile), 'utf8'));
    expect(UnheardEnd.parse(end)).toMatchObject({ exitCode: 3, bytes: 'begun..done..'.length });
    // What was told to a client that hung is as good as untold.
    const told = JSON.parse(await readFile(unheardEndPath(heard.outputFile ?? ''), 'utf8'));
    expect(UnheardEnd.parse(told)).toMatchObject({ exitCode: 0, bytes: 0 });
    expect(await terminals.connect().list()).toEqual([]);
  });

  test('one client’s end leaves the terminals of another', async () => {
    const terminals = await start();
    const other = terminals.connect();
    const [mine, theirs] = [bash(terminals, 'sleep 600'), bash(terminals, 'sleep 600')];
    const first = await spawned(terminals.client, mine);
    const second = await spawned(other, theirs);
    await terminals.client.close({ keepTerminals: false });
    expect([isAlive(first.pid), isAlive(second.pid)]).toEqual([false, true]);
    const pid = await hostPid(terminals);
    await other.close({ keepTerminals: false });
    await until(() => !isAlive(pid));
    await until(() => !isAlive(second.pid));
  });

  test('the end takes everything along, and leaves no file behind', async () => {
    const terminals = await start();
    const spec = bash(terminals, 'setsid sleep 600 & echo started; exit 0');
    await spawned(terminals.client, spec);
    await terminals.client.exited(spec.id);
    const { pid } = await spawned(terminals.client, shell(terminals));
    const host = await hostPid(terminals);
    await until(() => stoppedChildren(host).length > 0);
    const [spare = 0] = stoppedChildren(host);
    await terminals.client.close({ keepTerminals: false });
    await until(() => !isAlive(host));
    await until(() => ![pid, spare].some(isAlive));
    await until(async () => (await processesTagged(spec.id)).length === 0);
    expect(await readdir(terminals.runFolder)).toEqual([]);
  });
});

describe('a host that dies', () => {
  test('its terminals are lost, a new host starts, and it finds what was left', async () => {
    const terminals = await start();
    const spec = bash(terminals, "trap '' HUP; echo ready; while :; do sleep 0.1; done", {
      callId: 'call-1',
    });
    const { pid } = await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, 'ready');
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.untilText('ready');
    const waiting = terminals.client.exited(spec.id);
    process.kill(await hostPid(terminals), 'SIGKILL');

    expect(await waiting).toMatchObject({ exitCode: null, lost: 'The terminal host ended.' });
    await pane.until((one) => one.closed);
    expect(
      (await terminals.client.list()).find((info) => info.id === spec.id)?.endedAt,
    ).toBeGreaterThan(0);
    expect(isAlive(pid)).toBe(true);
    const left = await terminals.client.leftovers();
    expect(left).toMatchObject([{ sessionId: 'ses', command: spec.command }]);
    expect(left[0]?.processes).toContainEqual({ pid, name: 'bash' });
    expect((await terminals.client.kill(spec.id, 300)).survivors).toEqual([]);
    expect(isAlive(pid)).toBe(false);
    expect(await terminals.client.leftovers()).toEqual([]);
    await spawned(terminals.client, bash(terminals, 'true'));
  });

  test('takes its spare shell along', async () => {
    const terminals = await start();
    const spec = bash(terminals, 'true');
    await spawned(terminals.client, spec);
    await terminals.client.exited(spec.id);
    const host = await hostPid(terminals);
    await until(() => stoppedChildren(host).length > 0);
    const [spare = 0] = stoppedChildren(host);
    process.kill(host, 'SIGKILL');
    await until(() => !isAlive(spare));
  });

  test('is started again five times and no more', async () => {
    const terminals = await start();
    for (let round = 0; round < 6; round += 1) {
      const spec = bash(terminals, 'sleep 600');
      await spawned(terminals.client, spec);
      const lost = terminals.client.exited(spec.id);
      process.kill(await hostPid(terminals), 'SIGKILL');
      expect((await lost).lost).toBeDefined();
    }
    const refused = { ok: false, error: { code: 'terminal_host' } };
    const states: TerminalHostState[] = [];
    terminals.client.onHostState((state) => states.push(state));
    expect(await terminals.client.spawn(bash(terminals, 'true'))).toMatchObject(refused);
    expect(states).toEqual(['lost']);
    // The user wants it, or time has passed.
    expect(await terminals.client.restartHost()).toEqual(ok(null));
    expect(states).toEqual(['lost', 'ready']);
    for (let round = 0; round < 5; round += 1) {
      await spawned(terminals.client, bash(terminals, 'sleep 600'));
      process.kill(await hostPid(terminals), 'SIGKILL');
      await until(() => states.at(-1) === 'lost');
    }
    await spawned(terminals.client, bash(terminals, 'sleep 600'));
    process.kill(await hostPid(terminals), 'SIGKILL');
    await until(() => states.at(-1) === 'lost');
    expect(await terminals.client.spawn(bash(terminals, 'true'))).toMatchObject(refused);
    const real = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + 11 * 60_000);
    await spawned(terminals.client, bash(terminals, 'true'));
  });

  test('leaves its terminals in the list as ended, until they are dismissed', async () => {
    const terminals = await start();
    const [shellSpec, ended] = [shell(terminals), bash(terminals, 'exit 3')];
    await spawned(terminals.client, shellSpec);
    await spawned(terminals.client, ended);
    await terminals.client.exited(ended.id);
    process.kill(await hostPid(terminals), 'SIGKILL');
    await terminals.client.exited(shellSpec.id);
    const next = bash(terminals, 'sleep 600');
    await spawned(terminals.client, next);
    const list = await terminals.client.list();
    expect(list.map(({ id, exitCode, lost }) => [id, exitCode, lost])).toEqual([
      [shellSpec.id, null, true],
      [ended.id, 3, true],
      [next.id, undefined, undefined],
    ]);
    await terminals.client.dismiss(shellSpec.id);
    await terminals.client.dismiss(ended.id);
    expect((await terminals.client.list()).map(({ id }) => id)).toEqual([next.id]);
  });
});

// At the same time, because each waits for an answer that does not come.
describe.concurrent('a host that hangs', () => {
  /** A client whose host is asked often whether it is there, and what was said of it. */
  const startWatched = async (context: TestContext) => {
    const terminals = await start(
      { answerMs: 600_000, pingAnswerMs: 3_000 },
      context.onTestFinished,
    );
    const states: TerminalHostState[] = [];
    terminals.client.onHostState((state) => states.push(state));
    const spec = bash(terminals, 'trap "" HUP; echo ready; sleep 600');
    const { pid } = await spawned(terminals.client, spec);
    return { terminals, states, spec, pid, host: await hostPid(terminals) };
  };

  test('is told of instead of waited for, Stop ends what runs in it, and it goes on when it wakes', async (context) => {
    const terminals = await start({ answerMs: 3_000 }, context.onTestFinished);
    const spec = bash(terminals, "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done");
    const { pid } = await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, 'ready');
    const host = await hostPid(terminals);
    process.kill(host, 'SIGSTOP');
    try {
      const refused = await terminals.client.spawn(bash(terminals, 'true'));
      expect(refused).toMatchObject({ ok: false, error: { code: 'host_hung' } });
      expect((await terminals.client.list()).map(({ id }) => id)).toEqual([spec.id]);
      const report = await terminals.client.kill(spec.id, 0);
      expect(report.killed).toContain(pid);
      expect(report.survivors).toEqual([]);
      expect(isAlive(pid)).toBe(false);
      expect(isAlive(host)).toBe(true);
    } finally {
      process.kill(host, 'SIGCONT');
    }
    expect(await terminals.client.exited(spec.id)).toMatchObject({ exitCode: null, signal: 9 });
    await spawned(terminals.client, bash(terminals, 'true'));
  });

  test('is noticed, Stop does not wait for it, and that it answers again is noticed, too', async (context) => {
    const { terminals, states, spec, pid, host } = await startWatched(context);
    process.kill(host, 'SIGSTOP');
    await until(() => states.includes('hung'));
    expect((await terminals.client.kill(spec.id, 0)).killed).toContain(pid);
    expect(await terminals.client.spawn(bash(terminals, 'true'))).toMatchObject({ ok: false });
    process.kill(host, 'SIGCONT');
    await until(() => states.at(-1) === 'ready');
    expect(states).toEqual(['idle', 'ready', 'hung', 'ready']);
    expect(await terminals.client.restartHost()).toEqual(ok(null));
    expect(await hostPid(terminals)).toBe(host);
  });

  test('is ended and replaced when the user says so; what it held is offered', async (context) => {
    const { terminals, states, spec, pid, host } = await startWatched(context);
    process.kill(host, 'SIGSTOP');
    await until(() => states.includes('hung'));
    expect(await terminals.client.restartHost()).toEqual(ok(null));
    expect(states).toEqual(['idle', 'ready', 'hung', 'lost', 'ready']);
    expect(isAlive(host)).toBe(false);
    expect(await terminals.client.list()).toMatchObject([{ id: spec.id, lost: true }]);
    const left = await terminals.client.leftovers();
    expect(left.flatMap(({ processes }) => processes)).toContainEqual({ pid, name: 'bash' });
    await spawned(terminals.client, bash(terminals, 'true'));
    await terminals.client.endLeftovers(left.map(({ id }) => id));
    expect(isAlive(pid)).toBe(false);
  });
});

describe('ending by itself', () => {
  test('a host that holds nothing goes when nobody is connected', async () => {
    const terminals = await start({ hostArgs: ['--idle-ms', '500'] });
    const spec = bash(terminals, 'true');
    await spawned(terminals.client, spec);
    await terminals.client.exited(spec.id);
    const pid = await hostPid(terminals);
    await terminals.client.close({ keepTerminals: true });
    await until(() => !isAlive(pid));
    expect(await readdir(terminals.runFolder)).toEqual([]);
  });

  test('a host that holds a terminal stays until that ends', async () => {
    const terminals = await start({ hostArgs: ['--idle-ms', '500'] });
    const spec = bash(terminals, 'while [ ! -e go ]; do sleep 0.02; done');
    await spawned(terminals.client, spec);
    const pid = await hostPid(terminals);
    await terminals.client.close({ keepTerminals: true });
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(isAlive(pid)).toBe(true);
    await writeFile(join(terminals.folder, 'go'), '');
    await until(() => !isAlive(pid));
  });

  test('SIGTERM ends a host with everything it holds', async () => {
    const terminals = await start();
    const { pid } = await spawned(terminals.client, bash(terminals, 'sleep 600'));
    const host = await hostPid(terminals);
    process.kill(host, 'SIGTERM');
    await until(() => !isAlive(host) && !isAlive(pid));
  });
});

/** Pids of living processes that carry a terminal's tag. */
async function processesTagged(terminalId: string): Promise<number[]> {
  const { systemProcesses } = await import('../../src/main/terminal/process/system-processes');
  const entries = await systemProcesses().list();
  return entries
    .filter((entry) => entry.terminal === terminalId && !entry.zombie)
    .map((entry) => entry.pid);
}
