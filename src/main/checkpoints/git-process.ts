import { type ChildProcess, spawn } from 'node:child_process';
import { err, fault, ok, type Result } from '../../shared/result';

/** Most of what git says on standard error that is kept. Characters. */
const MAX_ERRORS = 4_000;

/** A git that runs. */
export interface RunningGit {
  readonly child: ChildProcess;
  /** Resolves when it has ended and its output is read. Never rejects. */
  readonly ended: Promise<Result<null>>;
}

/** Starts git with nothing of the user's configuration. */
export function startGit(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): RunningGit {
  const child = spawn('git', args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let errors = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    errors = (errors + text).slice(0, MAX_ERRORS);
  });
  // What it did not read is told by its exit.
  child.stdin?.on('error', () => {});
  const ended = new Promise<Result<null>>((resolve) => {
    child.once('error', (thrown: NodeJS.ErrnoException) =>
      resolve(err(thrown.code === 'ENOENT' ? NO_GIT : failure(thrown.message))),
    );
    child.once('close', (code) =>
      resolve(code === 0 ? ok(null) : err(failure(errors.trim() || `git ended with ${code}`))),
    );
  });
  return { child, ended };
}

/** The fault of a machine without git. */
const NO_GIT = fault(
  'no_git',
  'Checkpoints need git, which is not installed: changes of files cannot be undone.',
  'Install git, then start a new session.',
);

/** Returns the fault of a checkpoint that failed for this reason. */
export const failure = (why: string) =>
  fault('checkpoint_failed', `The checkpoint could not be kept: ${why}`);

/** Runs git to its end with a text for it to read, and returns what it printed. */
export async function runGit(running: RunningGit, input = ''): Promise<Result<string>> {
  const parts: Buffer[] = [];
  running.child.stdout?.on('data', (part: Buffer) => void parts.push(part));
  running.child.stdin?.end(input);
  const ended = await running.ended;
  return ended.ok ? ok(Buffer.concat(parts).toString('utf8')) : ended;
}

/** Reads objects by name through git-cat-file(1) `--batch`: a line for each, and its bytes when it is there. */
export async function readObjects(
  { child, ended }: RunningGit,
  names: readonly string[],
  onObject: (name: string, bytes: Uint8Array) => void | Promise<void>,
  maxBytes: number,
): Promise<Result<null>> {
  child.stdin?.end(names.map((name) => `${name}\n`).join(''));
  let waiting: Buffer[] = [];
  let length = 0;
  let next = 0;
  let need: number | null = null;
  try {
    for await (const chunk of child.stdout ?? []) {
      waiting.push(chunk);
      length += chunk.length;
      if (need !== null && length < need + 1) continue;
      let bytes = Buffer.concat(waiting);
      for (;;) {
        if (need === null) {
          const end = bytes.indexOf(10);
          if (end < 0) break;
          const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(bytes.toString('utf8', 0, end))?.[1];
          bytes = bytes.subarray(end + 1);
          if (size === undefined) next += 1;
          else need = Number(size);
        } else {
          if (bytes.length < need + 1) break;
          const name = names[next];
          if (name !== undefined && need <= maxBytes) await onObject(name, bytes.subarray(0, need));
          bytes = bytes.subarray(need + 1);
          need = null;
          next += 1;
        }
      }
      waiting = [bytes];
      length = bytes.length;
    }
  } catch (thrown) {
    child.kill('SIGKILL');
    await ended;
    return err(failure(String(thrown)));
  }
  return ended;
}
