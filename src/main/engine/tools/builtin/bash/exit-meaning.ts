import type { ShellAnalysis } from '../../../permissions/request';

/** The meaning of a command's end. */
export interface ExitMeaning {
  readonly failed: boolean;
  /** The meaning of the code, when it is not plain success or failure. */
  readonly note?: string;
}

/** Exit codes by which programs answer a question, so that they are no failure. From their manuals. */
const ANSWERS: Readonly<Record<string, string>> = {
  grep: 'no match',
  egrep: 'no match',
  fgrep: 'no match',
  rg: 'no match',
  ag: 'no match',
  pgrep: 'no process matches',
  diff: 'the files differ',
  cmp: 'the files differ',
  test: 'the condition is false',
  '[': 'the condition is false',
  '[[': 'the condition is false',
  find: 'some folders could not be read',
  which: 'not found',
  type: 'not found',
  zgrep: 'no match',
  pidof: 'no process matches',
  lsof: 'nothing matches',
  expr: 'the result is empty or 0',
  'git diff': 'there are differences',
  'git diff-files': 'there are differences',
  'git diff-index': 'there are differences',
  'git diff-tree': 'there are differences',
  'git grep': 'no match',
  'git check-ignore': 'nothing is ignored',
  'git show-ref': 'no such reference',
  'git merge-base': 'it is not one',
};

/** Options of git itself that take the next word. */
const GIT_TAKES_NEXT = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace']);

/** The exit code of `timeout` when it ended a command (timeout(1)). */
const TIMED_OUT = 124;

/** Signals people know by name (signal(7)). */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'hang-up',
  2: 'interrupt',
  3: 'quit',
  4: 'illegal instruction',
  6: 'abort',
  8: 'arithmetic error',
  9: 'kill',
  11: 'segmentation fault',
  13: 'broken pipe',
  15: 'termination',
};

/**
 * Returns what an exit code (or the signal that ended the shell itself) means for a shell line and its plain output.
 */
export function exitMeaning(
  line: string,
  analysis: ShellAnalysis,
  end: { readonly exitCode: number | null; readonly signal?: number },
  output: string,
): ExitMeaning {
  if (end.exitCode === null)
    return { failed: true, note: `ended by ${signalName(end.signal ?? 0)}` };
  if (end.exitCode === 0) return { failed: false };
  const answer = end.exitCode === 1 ? answerOf(line, analysis, output) : null;
  if (answer !== null) return { failed: false, note: answer };
  const note = generalNote(end.exitCode, line, lastProgram(analysis));
  return note === null ? { failed: true } : { failed: true, note };
}

/**
 * Returns the meaning of exit code 1, when the program that gave it uses it as an answer. After `&&` an earlier
 * command may have given the code; one that failed says why, so only silence counts as an answer there.
 */
function answerOf(line: string, analysis: ShellAnalysis, output: string): string | null {
  const last = lastCommand(analysis);
  const name = lastProgram(analysis);
  if (!analysis.ok || !last || name === undefined || !Object.hasOwn(ANSWERS, name)) return null;
  const chained = line.slice(0, last.start).includes('&&');
  if (chained && output.trim() !== '') return null;
  return ANSWERS[name] ?? null;
}

const lastCommand = ({ commands }: ShellAnalysis) =>
  commands.findLast(({ words }) => words.length > 0);

/** Returns the program that ran last, git with its subcommand; undefined when it is not known. */
function lastProgram(analysis: ShellAnalysis): string | undefined {
  const [first, ...rest] = lastCommand(analysis)?.words ?? [];
  const name = first?.split('/').at(-1);
  if (name !== 'git') return name;
  const at = rest.findIndex(
    (word, i) => !word?.startsWith('-') && !GIT_TAKES_NEXT.has(rest[i - 1] ?? ''),
  );
  return `git ${rest[at] ?? ''}`;
}

function generalNote(exitCode: number, line: string, program = ''): string | null {
  if (exitCode === TIMED_OUT && /\btimeout\b/.test(line)) return 'its time limit was over';
  // What git says with codes over 128 is "fatal", or "wrong usage".
  if (program.startsWith('git ')) return null;
  if (exitCode === 126) return 'the program was found but could not be executed';
  if (exitCode === 127) return 'a command was not found';
  if (exitCode > 128 && exitCode <= 128 + 64) return `ended by ${signalName(exitCode - 128)}`;
  return null;
}

const signalName = (signal: number): string => {
  const name = SIGNALS[signal];
  return name === undefined ? `signal ${signal}` : `signal ${signal} (${name})`;
};
