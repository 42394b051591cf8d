import type { ShellCommand } from '../request';
import type { PathUse } from './shape';

/**
 * What lets an awk program run, load, write or read something else, or see the environment, wherever it stands: a
 * string that looks like it is refused too. `|` pipes, but `||` does not.
 */
const RISKY =
  /system|getline|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARG[VC]|@|\bextension\b|\bload\b|\bfflush\b|(?<!\|)\|(?!\|)/;

/** Whether an awk program only computes and prints. A `>` behind a `print` may write a file. */
export function isHarmlessAwkProgram(program: string): boolean {
  if (RISKY.test(program) || program.includes('\\\n')) return false;
  const print = program.search(/print/);
  return print < 0 || !program.slice(print).includes('>');
}

/** The files of an awk call that only prints; null for any other. */
export function awkPrints(command: ShellCommand): PathUse[] | null {
  const operands: PathUse[] = [];
  let program: string | null = null;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (program === null && word !== null && word.startsWith('-')) {
      if (/^-F.+$/s.test(word)) continue;
      const value = command.words[++i] ?? null;
      if (word === '-F' && value !== null) continue;
      if (word !== '-v' || value === null || !/^[a-zA-Z_]\w*=[^\\]*$/.test(value)) return null;
    } else if (program === null) {
      if (word === null || !isHarmlessAwkProgram(word)) return null;
      program = word;
    } else if (word !== null) {
      if (word.startsWith('-') && word !== '-') return null;
      if (!/^[a-zA-Z_]\w*=/.test(word)) operands.push({ word, glob: false });
    } else if (glob === undefined) return null;
    else operands.push({ word: glob, glob: true });
  }
  return program === null ? null : operands;
}
