import type { ShellAnalysis } from '../../../permissions/request';

/** How a command's end is to be taken. */
export interface ExitMeaning {
  readonly failed: boolean;
  /** What the code means, when it is not plain success or failure. */
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
};

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

/** What an exit code (or the signal that ended the shell itself) means for a shell line and its plain output. */
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
  const note = generalNote(end.exitCode);
  return note === null ? { failed: true } : { failed: true, note };
}

/**
 * The meaning of exit code 1, when the program that gave it uses it as an answer. After `&&` an earlier command may
 * have given the code; one that failed says why, so only silence counts as an answer there.
 */
function answerOf(line: string, analysis: ShellAnalysis, output: string): string | null {
  const commands = analysis.commands.filter((command) => command.words.length > 0);
  const last = commands.at(-1);
  const name = last?.words[0]?.split('/').at(-1);
  if (!analysis.ok || last === undefined || name === undefined || !Object.hasOwn(ANSWERS, name)) {
    return null;
  }
  const chained = line.slice(0, last.start).includes('&&');
  if (chained && output.trim() !== '') return null;
  return ANSWERS[name] ?? null;
}

function generalNote(exitCode: number): string | null {
  if (exitCode === 126) return 'the program was found but could not be executed';
  if (exitCode === 127) return 'a command was not found';
  if (exitCode > 128 && exitCode <= 128 + 64) return `ended by ${signalName(exitCode - 128)}`;
  return null;
}

const signalName = (signal: number): string => {
  const name = SIGNALS[signal];
  return name === undefined ? `signal ${signal}` : `signal ${signal} (${name})`;
};
