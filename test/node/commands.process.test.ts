import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeCommands } from '../../src/main/node/commands';
import { createOwnTrees } from '../../src/main/terminal/process/kill-tree';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import { tempFolder } from './temp-folder';

const commands = createNodeCommands(createOwnTrees(systemProcesses(), 100));
const PATH = process.env['PATH'] ?? '';

async function run(
  line: string,
  more: { input?: string; signal?: AbortSignal; cwd?: string } = {},
) {
  const cwd = more.cwd ?? (await tempFolder());
  const { input = '', signal = new AbortController().signal } = more;
  const argv = ['bash', '--norc', '-c', line];
  const command = { id: 'hook_1', argv, cwd, env: { PATH }, input, maxBytes: 1_000 };
  return commands.run(command, signal);
}

const isAlive = async (pid: number): Promise<boolean> =>
  (await systemProcesses().list()).some((entry) => entry.pid === pid && !entry.zombie);

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('commands of the user', () => {
  it('get their input, exactly their environment, and no terminal', async () => {
    const ended = await run('cat; echo; env | cut -d= -f1 | sort | tr "\\n" " "; exit 3', {
      input: '{"a":1}',
    });
    if (ended.kind !== 'exited') throw new Error(ended.kind);
    const [input, names] = ended.stdout.split('\n');
    expect(input).toBe('{"a":1}');
    expect(names?.trim().split(' ')).toEqual(
      ['LATHE_TERMINAL', 'LATHE_TERMINAL_HOST', 'PATH', 'PWD', 'SHLVL', '_'].sort(),
    );
    expect(ended.exitCode).toBe(3);
    expect(await run('tty || true')).toMatchObject({ stdout: 'not a tty\n' });
  });

  it('need not read their input', async () => {
    expect(await run('exit 0', { input: 'x'.repeat(5_000_000) })).toMatchObject({ exitCode: 0 });
  });

  it('may print without end: the first part is kept and nobody is held up', async () => {
    const ended = await run('head -c 5000000 /dev/zero | tr "\\0" x; echo err >&2');
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'x'.repeat(1_000), stderr: 'err\n' });
  });

  it('are done when they end, whatever they left running', async () => {
    const cwd = await tempFolder();
    const ended = await run('sleep 300 & echo $! > pid; echo done', { cwd });
    expect(ended).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'done\n' });
    process.kill(Number(await readFile(join(cwd, 'pid'), 'utf8')));
  });

  it('end with their whole tree, also with what ran away from it', async () => {
    const cwd = await tempFolder();
    const abort = new AbortController();
    const line =
      'setsid sleep 301 & echo $! > a; (trap "" TERM; sleep 302 & echo $! > b; wait); wait';
    const running = run(line, { cwd, signal: abort.signal });
    const pids = await until(async () => {
      const texts = await Promise.all(
        ['a', 'b'].map((name) => readFile(join(cwd, name), 'utf8').catch(() => '')),
      );
      return texts.every((text) => text.endsWith('\n')) ? texts.map(Number) : null;
    });
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
    abort.abort();
    expect((await running).kind).toBe('aborted');
    expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
  });

  it('that cannot start say why', async () => {
    const signal = new AbortController().signal;
    const cwd = await tempFolder();
    const start = (argv: readonly string[], folder = cwd) =>
      commands.run({ id: 'x', argv, cwd: folder, env: { PATH }, input: '', maxBytes: 9 }, signal);
    expect(await start(['no-such-program'])).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('no-such-program could not be started: there is no such'),
    });
    expect(await start(['bash'], join(cwd, 'gone'))).toMatchObject({ kind: 'failed' });
    expect(await start(['bash', '-c', 'a\0b'])).toMatchObject({ kind: 'failed' });
    expect(await start([])).toMatchObject({ kind: 'failed' });
  });
});

describe('a command that is talked to', () => {
  const start = async (line: string, onOutput: (text: string) => void = () => {}) =>
    commands.start(
      {
        id: 'mcp_1',
        argv: ['bash', '--norc', '-c', line],
        cwd: await tempFolder(),
        env: { PATH },
        maxBytes: 20,
      },
      (chunk) => onOutput(new TextDecoder().decode(chunk)),
    );

  it('hears what it is sent and is heard; the end of what it complains of is kept', async () => {
    let heard = '';
    const echo = await start(
      'echo a long way before the rest, and this >&2; while read -r line; do echo "got $line"; done',
      (text) => {
        heard += text;
      },
    );
    await echo.write('one\n');
    await echo.write('two\n');
    await until(async () => (heard === 'got one\ngot two\n' ? heard : null));
    expect(echo.stderr()).toBe('e the rest, and this\n'.slice(-20));
    await echo.end();
    expect(await echo.ended).toMatch(/^It ended /);
    await echo.write('three\n');
  });

  it('has ended when it has, whatever it left running, and takes that with it', async () => {
    let pid = 0;
    const leaving = await start('sleep 1000 & echo $!; exit 4', (text) => {
      pid = Number(text);
    });
    expect(await leaving.ended).toBe('It ended with exit code 4.');
    expect(await isAlive(pid)).toBe(true);
    await leaving.end();
    expect(await isAlive(pid)).toBe(false);
  });

  it('that cannot be started says so', async () => {
    const none = commands.start(
      { id: 'mcp_1', argv: ['/no/such/program'], cwd: await tempFolder(), env: {}, maxBytes: 20 },
      () => {},
    );
    expect(await none.ended).toContain('there is no such program');
    await none.write('x');
    await none.end();
  });
});
