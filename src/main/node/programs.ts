import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { err, ok } from '../../shared/result';
import type { ProgramFault, ProgramOutput, Programs } from '../engine/ports';
import { errorCode } from './file-fault';

type RunOptions = Parameters<Programs['run']>[1];
type RunResult = Awaited<ReturnType<Programs['run']>>;

/** Most of a program's errors that is kept. */
const MAX_STDERR_BYTES = 64 * 1024;

/** The variables of Lathe's environment that helper programs get: no keys, no configuration of the helpers. */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/i;

/**
 * Creates the helper programs, as child processes. They never get a terminal, a standard input, or more of
 * `environment` than the names in INHERITED.
 */
export function createNodePrograms(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Programs {
  const inherited = Object.fromEntries(
    Object.entries(environment).filter(([name]) => INHERITED.test(name)),
  );
  return {
    run: (argv, options, signal) => runProgram(argv, options, inherited, signal),
    get ripgrep() {
      return bundledRipgrep();
    },
  };
}

/** Finds the bundled ripgrep. Inside a package it lies beside the archive, because archives hold no executables. */
function bundledRipgrep(): string {
  const ownPackage = createRequire(import.meta.url).resolve('@vscode/ripgrep');
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  return unpacked(
    createRequire(ownPackage).resolve(
      `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${binary}`,
    ),
  );
}

/** Returns where a file of the packaged app lies on the real disk. */
export const unpacked = (path: string): string =>
  path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');

function runProgram(
  argv: readonly string[],
  options: RunOptions,
  inherited: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const [program, ...args] = argv;
  if (program === undefined) return Promise.resolve(refused('other', 'No program was named.'));
  if (signal?.aborted) return Promise.resolve(refused('aborted', `${program} was not started.`));
  const isGroup = options.asGroup === true && process.platform !== 'win32';
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...inherited, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      detached: isGroup,
    });
    const stdout = collect(child, 'stdout', options.maxBytes, () => end(null));
    const stderr = collect(child, 'stderr', MAX_STDERR_BYTES, () => undefined);
    let ended: RunResult | null = null;

    const end = (result: RunResult | null) => {
      ended ??= result;
      if (isGroup) endGroup(child.pid);
      child.kill('SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const onAbort = () => end(refused('aborted', `${program} was interrupted.`));
    const timer = setTimeout(
      () => end(refused('timeout', `${program} did not finish in ${options.timeoutMs} ms.`)),
      options.timeoutMs,
    );
    const { maxMemoryBytes = Number.POSITIVE_INFINITY } = options;
    const unwatch = watchMemory(child.pid, maxMemoryBytes, () =>
      end(refused('memory', `${program} took more than ${maxMemoryBytes} bytes of memory.`)),
    );
    const settle = (result: RunResult) => {
      clearTimeout(timer);
      unwatch();
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', (thrown) => settle(ended ?? startFailure(program, options.cwd, thrown)));
    child.once('close', (exitCode) =>
      settle(ended ?? ok(outputOf(exitCode, stdout.take(), stderr.take()))),
    );
  });
}

/** Ends all processes of a group that still lives. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

interface Collected {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** Keeps the first `limit` bytes of a stream; `onFull` is called when there are more. */
function collect(
  child: ChildProcess,
  stream: 'stdout' | 'stderr',
  limit: number,
  onFull: () => void,
): { take(): Collected } {
  const chunks: Buffer[] = [];
  let room = limit;
  let truncated = false;
  child[stream]?.on('data', (chunk: Buffer) => {
    if (truncated) return;
    chunks.push(chunk.subarray(0, room));
    truncated = chunk.length > room;
    room -= Math.min(chunk.length, room);
    if (truncated) onFull();
  });
  return { take: () => ({ bytes: Buffer.concat(chunks), truncated }) };
}

const outputOf = (
  exitCode: number | null,
  stdout: Collected,
  stderr: Collected,
): ProgramOutput => ({
  exitCode,
  stdout: stdout.bytes,
  stderr: stderr.bytes.toString('utf8'),
  truncated: stdout.truncated,
});

const refused = (code: ProgramFault['code'], message: string): RunResult => err({ code, message });

/** Tells a missing folder from a missing program; Node reports either as the program. */
function startFailure(program: string, cwd: string, thrown: Error): RunResult {
  if (errorCode(thrown) !== 'ENOENT') {
    return refused('other', `${program} could not be started: ${thrown.message}`);
  }
  return isFolder(cwd)
    ? refused('not_found', `The program ${program} is not installed.`)
    : refused('not_found', `${program} could not be started: the folder ${cwd} does not exist.`);
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The time between two looks at a program; the fastest take about 100 MB in it. Milliseconds. */
const LOOK_MS = 100;

/**
 * Calls `onOver` once a process has more than `maxBytes` of memory of its own; files it only maps do not count. Returns
 * a function that ends the watch. Only Linux tells this at no cost: elsewhere time limits have to do.
 */
function watchMemory(pid: number | undefined, maxBytes: number, onOver: () => void): () => void {
  if (pid === undefined || process.platform !== 'linux') return () => {};
  const timer = setInterval(() => {
    if (ownMemory(pid) <= maxBytes) return;
    clearInterval(timer);
    onOver();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Returns `RssAnon` of proc_pid_status(5), in bytes; 0 for a process that is gone. */
function ownMemory(pid: number): number {
  try {
    const told = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(told?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
