import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One program that was started. */
export interface Exec {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
}

/** Follows children, and stops a process for nothing but what is traced: other calls would take as much time as Lathe itself. */
const FOLLOWING = ['-f', '--seccomp-bpf', '-qq'] as const;

/** Words that start a program under strace(1), which writes every program it and its children start to `file`. */
export const traced = (file: string): readonly string[] => [
  'strace',
  ...[...FOLLOWING, '-v', '-s', '20000', '-e', 'trace=execve', '-e', 'signal=none', '-o', file],
];

/** Returns true when programs can be traced here; some containers forbid it. Why not, and what is then left out, is printed. */
export function canTrace(leftOut: string): boolean {
  try {
    execFileSync('strace', [...FOLLOWING, '-o', '/dev/null', 'true'], { stdio: 'pipe' });
    return true;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.trim().split('\n').at(-1) : thrown;
    process.stderr.write(`${leftOut} is left out: strace does not work here (${why}).\n`);
    return false;
  }
}

/** The programs in a trace that really started, in order; attempts along the PATH that found nothing are left out. */
export function readTrace(file: string): readonly Exec[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const call = /execve\((".*?"), (\[.*?\]), (\[.*\])(?:\) = 0$| <unfinished)/.exec(line);
      if (!call) return [];
      const [, program = '', args = '', env = ''] = call;
      return [{ program: stringsIn(program)[0] ?? '', args: stringsIn(args), env: stringsIn(env) }];
    });
}

/** C strings as strace prints them. */
const stringsIn = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner = '']) =>
    inner.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
  );

/** The process that was started first: strace itself would only let go of it when it is told to end. */
export const tracedPid = (file: string): number => Number.parseInt(readFileSync(file, 'utf8'), 10);
