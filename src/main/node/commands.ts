import { type ChildProcess, spawn } from 'node:child_process';
import type { CommandEnd, CommandSpec, Commands, RunningCommand } from '../engine/ports';
import { errorCode } from './file-fault';

/** Ends process trees, and finds them again whatever their processes did to hide. */
export interface TreeEnder {
  /** Returns the variables that mark the processes of a tree. */
  tags(id: string): Readonly<Record<string, string>>;
  /** Ends everything that grew from a process or carries its tags. */
  end(id: string, pid: number): Promise<unknown>;
}

/** The time output may still come after a command has ended: what it left running can hold the pipes. Milliseconds. */
const LAST_OUTPUT_MS = 250;

/** Creates the user's commands as child processes, in a session of their own: they never get a terminal. */
export const createNodeCommands = (trees: TreeEnder): Commands => ({
  run: async (command, signal, onStart, onStdout) => {
    try {
      return await runCommand(command, trees, signal, onStart, onStdout);
    } catch (thrown) {
      // Node throws for what no system could start: a NUL character, more text than fits.
      return failed(whyNot(command.argv[0] ?? '', command.cwd, asError(thrown)));
    }
  },
  start: (command, onOutput) => {
    try {
      return startCommand(command, trees, onOutput);
    } catch (thrown) {
      return notStarted(whyNot(command.argv[0] ?? '', command.cwd, asError(thrown)));
    }
  },
});

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

function runCommand(
  command: CommandSpec,
  trees: TreeEnder,
  signal: AbortSignal,
  onStart: Parameters<Commands['run']>[2],
  onStdout: Parameters<Commands['run']>[3],
): Promise<CommandEnd> {
  const [program, ...args] = command.argv;
  if (program === undefined) return Promise.resolve(failed('No program was named.'));
  if (signal.aborted) return Promise.resolve({ ...NOTHING, kind: 'aborted' });
  return new Promise((resolve) => {
    const child = spawnTagged(program, args, command, trees);
    const stdout = keepFirst(child.stdout, command.maxBytes, onStdout);
    const stderr = keepFirst(child.stderr, command.maxBytes);
    let ending: Promise<unknown> | null = null;
    onStart?.(() => ({ stdout: stdout(), stderr: stderr() }));

    const onAbort = () => {
      if (child.pid !== undefined) ending = trees.end(command.id, child.pid);
    };
    const settle = async (end: CommandEnd) => {
      signal.removeEventListener('abort', onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      await ending;
      resolve(end);
    };
    const finish = (exitCode: number | null) =>
      settle({
        kind: ending === null ? 'exited' : 'aborted',
        exitCode,
        stdout: stdout(),
        stderr: stderr(),
      });

    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', (thrown) => settle(failed(whyNot(program, command.cwd, thrown))));
    child.once('exit', (exitCode) => {
      const waited = setTimeout(() => finish(exitCode), LAST_OUTPUT_MS);
      child.once('close', () => {
        clearTimeout(waited);
        return finish(exitCode);
      });
    });
    // A command need not read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(command.input);
  });
}

/** Starts a program in a process group of its own, marked so that its descendants are found. */
const spawnTagged = (
  program: string,
  args: readonly string[],
  { id, cwd, env }: Pick<CommandSpec, 'id' | 'cwd' | 'env'>,
  trees: TreeEnder,
) =>
  spawn(program, args, {
    cwd,
    env: { ...env, ...trees.tags(id) },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });

/** No process has this id: only the tags of a tree are looked for. */
const NO_PROCESS = -1;

function startCommand(
  command: Omit<CommandSpec, 'input'>,
  trees: TreeEnder,
  onOutput: (chunk: Uint8Array) => void,
): RunningCommand {
  const [program, ...args] = command.argv;
  if (program === undefined) return notStarted('No program was named.');
  const child = spawnTagged(program, args, command, trees);
  const stderr = keepLast(child.stderr, command.maxBytes);
  let running = true;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (thrown) => resolve(whyNot(program, command.cwd, thrown)));
    child.once('close', (exitCode, signal) => resolve(endText(exitCode, signal)));
    child.once('exit', (exitCode, signal) => {
      running = false;
      // What it left running can hold its pipes: it has ended all the same.
      setTimeout(() => resolve(endText(exitCode, signal)), LAST_OUTPUT_MS);
    });
    child.stdout.once('end', () => {
      // One that can say nothing more is as good as ended; `end` ends it.
      setTimeout(() => running && resolve(MUTE), LAST_OUTPUT_MS);
    });
  });
  child.stdout.on('data', onOutput);
  for (const stream of [child.stdin, child.stdout]) stream.on('error', () => {});
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (child.stdin.writable) child.stdin.write(text, () => resolve());
        else resolve();
      }),
    stderr,
    ended,
    end: async () => {
      child.stdin.end();
      if (child.pid !== undefined) {
        await trees.end(command.id, running ? child.pid : NO_PROCESS);
      }
      child.stdout.destroy();
      child.stderr.destroy();
      await ended;
    },
  };
}

const MUTE = 'It closed its output.';

const endText = (exitCode: number | null, signal: string | null): string =>
  signal === null ? `It ended with exit code ${exitCode}.` : `It ended by ${signal}.`;

const notStarted = (why: string): RunningCommand => ({
  write: async () => {},
  stderr: () => '',
  ended: Promise.resolve(why),
  end: async () => {},
});

const NOTHING = { exitCode: null, stdout: '', stderr: '' } as const;
const failed = (message: string): CommandEnd => ({ kind: 'failed', message });

/** Keeps the first `limit` bytes of a stream and discards the rest, so that the command is never blocked. */
function keepFirst(
  stream: ChildProcess['stdout'],
  limit: number,
  onMore?: () => void,
): () => string {
  const chunks: Buffer[] = [];
  let room = limit;
  stream?.on('data', (chunk: Buffer) => {
    if (room === 0) return;
    chunks.push(chunk.subarray(0, room));
    room -= Math.min(chunk.length, room);
    onMore?.();
  });
  stream?.on('error', () => {});
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Keeps the last `limit` bytes of a stream. */
function keepLast(stream: ChildProcess['stderr'], limit: number): () => string {
  let kept = Buffer.alloc(0);
  stream?.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-limit);
  });
  stream?.on('error', () => {});
  return () => kept.toString('utf8');
}

const whyNot = (program: string, cwd: string, thrown: Error): string =>
  errorCode(thrown) === 'ENOENT'
    ? `${program} could not be started: there is no such program, or the folder ${cwd} is gone.`
    : `${program} could not be started: ${thrown.message}`;
