import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { guardCommand } from '../../src/main/terminal/own/guard';
import { createOwnTerminals, type OwnTerminals } from '../../src/main/terminal/own/own-terminals';
import { Ledger } from '../../src/main/terminal/process/ledger';
import { HOST_TAG, TERMINAL_TAG } from '../../src/main/terminal/process/process-table';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import { UnheardEnd } from '../../src/shared/terminal';
import { buildTerminalHost } from '../support/build-entry';
import { bash, isAlive, stoppedChildren, until } from './support';

/** Ignores everything but KILL, and leaves a child in a session of its own that does too. */
const STUBBORN =
  "trap '' TERM HUP; setsid bash -c \"trap '' TERM HUP; while :; do sleep 0.1; done\" & echo started; wait; sleep 600";

let folder = '';
let runFolder = '';
let hostFile = '';
let terminals: OwnTerminals;
const failures: unknown[] = [];

beforeEach(async () => {
  hostFile = await buildTerminalHost();
  folder = await mkdtemp(join(tmpdir(), 'lathe-own-'));
  runFolder = join(folder, 'run');
  terminals = createOwnTerminals({
    runFolder,
    guard: { execPath: process.execPath, args: [hostFile] },
    failed: (error) => failures.push(error),
  });
});
afterEach(async () => {
  await terminals.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  expect(failures.splice(0)).toEqual([]);
});

const run = async (command: string, outputFile?: string) => {
  const spec = bash({ folder }, command, outputFile === undefined ? {} : { outputFile });
  const info = await terminals.spawn(spec);
  if (!info.ok) throw new Error(info.error.message);
  return info.value;
};

/** Pids of living processes with a tag of ours or in whose command line a text stands. */
async function processesOf(terminalId: string, text: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const entry of await systemProcesses().list()) {
    const line = await readFile(`/proc/${entry.pid}/cmdline`, 'utf8').catch(() => '');
    const ours = entry.terminal === terminalId || (text !== '' && line.includes(text));
    if (ours && !entry.zombie) found.push(entry.pid);
  }
  return found;
}

describe('terminals of one’s own', () => {
  test('run a command in a pty, tell its progress, its output and its end', async () => {
    const file = join(folder, 'out');
    const { id } = await run(
      'test -t 1 && echo on a tty; until [ -e go ]; do sleep 0.02; done',
      file,
    );
    const seen = new Promise<string>((resolve) => {
      terminals.onProgress(id, ({ tail }) => tail.includes('tty') && resolve(tail));
    });
    expect(await seen).toBe('on a tty\r\n');
    await writeFile(join(folder, 'go'), '');
    expect(await terminals.exited(id)).toMatchObject({ exitCode: 0, output: 'on a tty\r\n' });
  });

  test('tell a short output whole, and leave a long one to the file', async () => {
    const short = await run('printf é; exit 3', join(folder, 'short'));
    expect(await terminals.exited(short.id)).toEqual({
      ...{ exitCode: 3, bytes: 2, lines: 0, output: 'é' },
    });
    expect(await terminals.exited(short.id)).toEqual({ exitCode: 3, bytes: 2, lines: 0 });
    expect(await readFile(join(folder, 'short'), 'utf8')).toBe('é');
    const long = await run('seq 1 5000', join(folder, 'long'));
    expect(await terminals.exited(long.id)).toEqual({
      ...{ exitCode: 0, bytes: 28_893, lines: 5_000, tail: expect.stringMatching(/5000\r\n$/) },
    });
    expect((await readFile(join(folder, 'long'))).byteLength).toBe(28_893);
  });

  test('tell a short output also to somebody who asks after the end, once', async () => {
    const { id } = await run('printf late');
    await until(async () => (await terminals.list()).some((one) => one.endedAt !== undefined));
    expect(await terminals.exited(id)).toEqual({
      ...{ exitCode: 0, bytes: 4, lines: 0, output: 'late' },
    });
    expect(await terminals.exited(id)).toEqual({ exitCode: 0, bytes: 4, lines: 0 });
  });

  test('start nothing before the first use, and nothing after the end', async () => {
    expect(await terminals.list()).toEqual([]);
    expect(await terminals.kill('x', 0)).toEqual({ killed: [], survivors: [] });
    await terminals.close();
    await expect(readdir(runFolder)).rejects.toThrow();
    const refused = await terminals.spawn(bash({ folder }, 'true'));
    expect(refused).toMatchObject({ ok: false, error: { code: 'terminals_closed' } });
  });

  test('end with everything in them, and leave neither files nor a guard', async () => {
    const { id, pid } = await run(STUBBORN);
    const exit = terminals.exited(id);
    await until(async () => (await processesOf(id, '')).length >= 2);
    await until(() => stoppedChildren(process.pid).length > 0);
    const [spare = 0] = stoppedChildren(process.pid);
    expect((await processesOf('', runFolder)).length).toBe(1);
    await terminals.close();
    expect(await exit).toMatchObject({ exitCode: null });
    expect([pid, spare].map(isAlive)).toEqual([false, false]);
    expect(await processesOf(id, runFolder)).toEqual([]);
    expect(await readdir(runFolder)).toEqual([]);
  });

  test('say why a command cannot start, and go on', async () => {
    const nowhere = await terminals.spawn({ ...bash({ folder }, 'true'), cwd: join(folder, 'no') });
    expect(nowhere).toMatchObject({ ok: false, error: { code: 'no_folder' } });
    const { id } = await run('echo fine');
    expect(await terminals.exited(id)).toMatchObject({ exitCode: 0 });
  });
});

describe('the guard', () => {
  /** A host that is dead already, and one process it left. */
  async function leaveBehind(hostId: string, command: string): Promise<number> {
    await mkdir(runFolder, { recursive: true, mode: 0o700 });
    const env = { PATH: process.env['PATH'], [HOST_TAG]: hostId, [TERMINAL_TAG]: 't' };
    const child = spawn('/bin/bash', ['-c', command], { env, detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const startTime = (await systemProcesses().startTime(pid)) ?? '';
    const ledger = new Ledger(runFolder, { hostId, pid: 2 ** 22 + 1, startTime: 'gone' });
    const outputFile = join(folder, `${hostId}.output`);
    await writeFile(outputFile, 'so far');
    ledger.starting({ terminalId: 't', sessionId: 'ses', outputFile });
    ledger.started('t', { pid, startTime });
    return pid;
  }

  function guard(hostId: string) {
    const launch = { execPath: process.execPath, args: [hostFile] };
    const [program = '', ...args] = guardCommand(launch, runFolder, hostId);
    return spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  }

  // Ids are base64url: one in 64 begins with a hyphen.
  test.each(['mine', '-mine'])('ends what a killed process left, and only that: %s', async (id) => {
    const mine = await leaveBehind(id, STUBBORN);
    const other = await leaveBehind('other', 'sleep 600');
    const child = guard(id);
    child.stdin.end();
    await once(child, 'exit');
    expect([isAlive(mine), isAlive(other)]).toEqual([false, true]);
    expect(await readdir(runFolder)).toEqual(['terminals-other.jsonl']);
    const end = JSON.parse(await readFile(join(folder, `${id}.output.end`), 'utf8'));
    expect(UnheardEnd.parse(end)).toMatchObject({
      exitCode: null,
      bytes: 6,
      stopped: 'Lathe was killed while it ran, and it was ended.',
    });
    expect(await readdir(folder)).not.toContain('other.output.end');
    process.kill(other, 'SIGKILL');
  });

  test('touches nothing when it is dismissed', async () => {
    const mine = await leaveBehind('mine', 'sleep 600');
    const child = guard('mine');
    child.stdin.end('done\n');
    await once(child, 'exit');
    expect(isAlive(mine)).toBe(true);
    process.kill(mine, 'SIGKILL');
  });
});
