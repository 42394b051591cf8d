import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPty, type PtyExit, type PtySpec } from '../../src/main/terminal/host/pty';
import { SPARE_MS, SpareShell, waitingShellFor } from '../../src/main/terminal/host/spare-shell';
import { HOST_TAG, TERMINAL_TAG } from '../../src/main/terminal/process/process-table';
import { runs } from '../support/runs';
import { isAlive, stoppedChildren, until } from './support';

let folder = '';
let spare: SpareShell;
let idle: { act: () => void; ms: number } | null = null;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'lathe-spare-')));
  idle = null;
  spare = new SpareShell(folder, null, (act, ms) => {
    idle = { act, ms };
    return () => {
      idle = null;
    };
  });
});
afterEach(async () => {
  await spare.close();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
const specOf = (script: string, args: readonly string[] = [''], more: Partial<PtySpec> = {}) => {
  count += 1;
  return {
    argv: ['/bin/bash', '-c', script, 'bash', ...args],
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: folder,
      LANG: 'C.UTF-8',
      [HOST_TAG]: 'host',
      [TERMINAL_TAG]: `t${count}`,
      ...more.env,
    },
    cols: more.cols ?? 80,
    rows: more.rows ?? 24,
    ...(more.argv ? { argv: more.argv } : {}),
    ...(more.cwd ? { cwd: more.cwd } : {}),
  };
};

interface Ran {
  readonly pid: number;
  readonly output: string;
  readonly exit: PtyExit;
}

/** Runs a program to its end, in the spare shell when that takes it. */
function run(spec: PtySpec, fresh = false): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let pid = 0;
    const listener = {
      output: (chunk: Buffer) => chunks.push(chunk),
      exited: (exit: PtyExit) =>
        resolve({ pid, exit, output: Buffer.concat(chunks).toString('latin1') }),
    };
    const taken = fresh ? null : spare.take(spec, listener);
    if (taken !== null) {
      pid = taken.pid;
      return;
    }
    const opened = openPty(spec, listener);
    if (!opened.ok) return reject(new Error(opened.error.message));
    pid = opened.value.pid;
  });
}

const waiting = (): readonly number[] => stoppedChildren(process.pid);

/** Has a spare shell for such programs; gives its pid. */
async function prepared(spec: PtySpec): Promise<number> {
  const none = { output: () => undefined, exited: () => undefined };
  expect(spare.take(spec, none)).toBeNull();
  spare.prepare();
  await until(() => waiting().length > 0);
  const [pid = 0, ...others] = waiting();
  expect(others).toEqual([]);
  return pid;
}

/** Runs a program in a spare shell, and makes sure that it was one. */
async function runSpare(spec: PtySpec): Promise<Ran> {
  const pid = await prepared(spec);
  const ran = await run(spec);
  expect(ran.pid).toBe(pid);
  return ran;
}

describe('a program in the spare shell', () => {
  /** Everything a shell and its children can know of how they were started, save for names and numbers of their own. */
  const SHOW = `
    printf '<%s>\\n' "$0" "$#" "$@" "$?" "$-" "$IFS" "$PWD" "$OLDPWD" "$SHLVL" "$SECONDS" "$LINENO"
    env | sort; export -p; trap; umask; ulimit -a; pwd; pwd -P; stty -a; stty size
    grep -E '^(Sig|Shd|Cap|Groups|NSpid|TracerPid|Threads|Seccomp)' /proc/self/status | grep -v SigQ
    ls /proc/$$/fd; ps -o tpgid= -o pgid= -o sid= -o ppid= -p $$ | sed "s/\\b$$\\b/self/g"
    [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && test "$(tty)" = "$(readlink /proc/$$/fd/0)" && echo terminal
    cd /usr && env | grep -E '^(OLD)?PWD'; cd - ; nosuchcommand; (exit 7)`;

  const sameIn = (ran: Ran, { env }: PtySpec) =>
    ran.output
      .replaceAll(new RegExp(`\\b${env[TERMINAL_TAG]}\\b`, 'g'), 'NAME')
      .replaceAll(/^_=.*$/gm, '')
      .replaceAll(/^(declare -x|export) _=.*$/gm, '')
      .replaceAll(/^NSpid.*$/gm, '');

  test.each([
    ['bash', {}],
    ['bash', { env: { OLDPWD: '/tmp', CDPATH: '/usr', POSIXLY_CORRECT: '1' } }],
    ['bash', { env: { LC_ALL: 'xx_YY', ODD: 'a\nb\'c"$(d)\\ ü', EMPTY: '', 'with-dash': '1' } }],
    ['sh', {}],
    ['dash', { env: { OLDPWD: '/nowhere', IFS: 'x' } }],
  ])('cannot tell it from a fresh one: %s %o', async (shell, more) => {
    const args = ['', ' a  b ', "it's", '-n', '$HOME `x` \\', 'é\n\t\x01\x7f', '*'];
    const specs = [1, 2].map(() => {
      const argv = [`/bin/${shell}`, '-c', SHOW, shell, ...args];
      return specOf('', [], { ...more, argv });
    });
    const [one, other] = specs;
    if (!one || !other) throw new Error('There are two.');
    const fresh = await run(one, true);
    const ours = await runSpare(other);
    expect(sameIn(ours, other)).toBe(sameIn(fresh, one));
    expect(ours.exit).toEqual(fresh.exit);
    expect(ours.output).toContain('terminal');
  });

  test('gets its arguments byte for byte', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).map((s) => s.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (args) => {
        const whole = args.map((arg) => (arg.isWellFormed() ? arg : 'x'));
        const { output } = await runSpare(specOf('stty -opost; printf "%s|" "$@"', whole));
        expect(Buffer.from(output, 'latin1').toString()).toBe(`${whole.join('|')}|`);
      }),
      { numRuns: runs(25) },
    );
  });

  test('may be long', async () => {
    const long = "'".repeat(120_000);
    const { output } = await runSpare(specOf('echo $#; echo $' + '{#1}', [long]));
    expect(output).toBe('1\r\n120000\r\n');
  });

  test('begins in its folder, also by way of a link, and ends where there is none', async () => {
    await mkdir(join(folder, "a 'b"));
    await symlink(join(folder, "a 'b"), join(folder, 'link'));
    const link = await runSpare(specOf('pwd; pwd -P', [''], { cwd: join(folder, 'link') }));
    expect(link.output).toBe(`${folder}/link\r\n${folder}/a 'b\r\n`);
    const gone = await runSpare(specOf('echo ran', [''], { cwd: join(folder, 'gone') }));
    expect([gone.output.includes('ran'), gone.exit]).toEqual([false, { exitCode: 1 }]);
  });

  test.each([
    ['exit 3', { exitCode: 3 }],
    ['kill -TERM $$', { exitCode: null, signal: 15 }],
    ['kill -KILL $$', { exitCode: null, signal: 9 }],
    ['exec sh -c "exit 143"', { exitCode: 143 }],
  ])('%s ends as %o', async (script, exit) => {
    expect((await runSpare(specOf(script))).exit).toEqual(exit);
  });
});

describe('the spare shell', () => {
  test('waits outside of every folder and without the name of a terminal, and its orders have no name', async () => {
    const pid = await prepared(specOf('true'));
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    expect(environment).toContain(`${HOST_TAG}=host`);
    expect(environment.filter((line) => line.startsWith(`${TERMINAL_TAG}=`))).toEqual([]);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(folder);
    expect(await realpath(`/proc/${pid}/cwd`)).toBe('/');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('there is one at most, however many programs run', async () => {
    const some = (seconds: number) => specOf('sleep "$1"', [String(seconds)]);
    const pid = await prepared(some(0));
    spare.prepare();
    spare.prepare();
    const first = run(some(0.1));
    spare.prepare();
    const [ran] = await Promise.all([first, run(some(0)), run(some(0))]);
    expect(ran.pid).toBe(pid);
    spare.prepare();
    await until(() => waiting().length > 0);
    spare.prepare();
    expect(waiting()).toHaveLength(1);
  });

  test.each([
    ['another environment', { env: { A: '1' } }],
    ['another size', { cols: 81 }],
    ['another shell', { argv: ['/bin/sh', '-c', 'true', 'bash', ''] }],
    ['another script', { argv: ['/bin/bash', '-c', 'true;true', 'bash', ''] }],
  ])('does not serve %s, and makes room', async (_what, more) => {
    const pid = await prepared(specOf('true'));
    const ran = await run(specOf('true', [''], more));
    expect(ran.pid).not.toBe(pid);
    await until(() => !isAlive(pid));
    spare.prepare();
    await until(() => waiting().length === 1);
  });

  test.each([
    [['/bin/bash', '-c', 'true'], {}, false],
    [['/bin/bash', '-c', 'true', 'bash'], {}, false],
    [['/bin/bash', '-i', 'x', 'y', 'z'], {}, false],
    [['/bin/zsh', '-c', 'true', 'zsh', 'a'], {}, false],
    [['/bin/bash', '-c', 'true', 'bash', 'a'], { BASH_ENV: '/x' }, false],
    [['/bin/bash', '-c', 'true', 'bash', 'a'], { SHELLOPTS: 'xtrace' }, false],
    [['/bin/bash', '-c', 'true', 'bash', 'a'], { SECONDS: '9' }, false],
    [['/bin/bash', '-c', 'true', 'bash', 'a'], { 'BASH_FUNC_cd%%': '() { :; }' }, false],
    [['/bin/bash', '-c', 'true', 'bash', 'a'], { BASH: '/bin/bash' }, true],
    [['/usr/bin/dash', '-c', 'true', 'x', ''], {}, true],
  ])('%j with %o can wait: %s', (argv, env, can) => {
    const shell = waitingShellFor({ argv, env, cwd: folder, cols: 80, rows: 24 });
    expect(shell !== null).toBe(can);
  });

  test('that was killed, or is still starting, holds nothing up', async () => {
    const pid = await prepared(specOf('echo fine'));
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    expect((await run(specOf('echo fine'))).output).toBe('fine\r\n');
    spare.prepare();
    const early = await run(specOf('echo fine'));
    expect(early.output).toBe('fine\r\n');
    spare.prepare();
    await until(() => waiting().length > 0);
    const [kept] = waiting();
    expect((await run(specOf('echo fine'))).pid).toBe(kept);
  });

  test('that somebody wakes goes on waiting', async () => {
    const pid = await prepared(specOf('echo fine'));
    for (let time = 0; time < 3; time += 1) {
      process.kill(pid, 'SIGCONT');
      await until(() => waiting().includes(pid));
    }
    expect(await run(specOf('echo fine'))).toMatchObject({ pid, output: 'fine\r\n' });
  });

  test('ends when nobody needs it, and with whoever keeps it', async () => {
    const pid = await prepared(specOf('true'));
    expect(idle?.ms).toBe(SPARE_MS);
    idle?.act();
    await until(() => !isAlive(pid));
    expect(idle).toBeNull();
    const next = await prepared(specOf('true'));
    await spare.close();
    expect(isAlive(next)).toBe(false);
    spare.prepare();
    expect(waiting()).toEqual([]);
  });
});
