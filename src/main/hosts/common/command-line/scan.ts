import { resolve } from 'node:path';
import { err, fault, ok, type Result } from '../../../../shared/result';
import type { DebugFlags } from './command';
import { FLAGS, type Flag, findFlag, MISSING } from './flags';

/** The words of a command line, sorted. Values are by flag name, in the order given. */
export interface Scanned {
  readonly positionals: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Sorts words into flags with values and positionals. `--flag=value` and `--` work as everywhere. */
export function scan(words: readonly string[]): Result<Scanned> {
  const positionals: string[] = [];
  const values = new Map<string, string[]>();
  let rest = [...words];
  while (rest.length > 0) {
    const [word = '', ...after] = rest;
    rest = after;
    if (word === '--') {
      positionals.push(...rest);
      break;
    }
    if (!looksLikeFlag(word)) {
      // Drivers put an empty word behind a switch; it is no prompt and no folder.
      if (word !== '') positionals.push(word);
      continue;
    }
    const taken = takeFlag(word, rest);
    if (!taken.ok) return taken;
    const { flag, found, remaining } = taken.value;
    values.set(flag.name, [...(values.get(flag.name) ?? []), ...found]);
    rest = remaining;
  }
  return ok({ positionals, values });
}

/** Tells whether a word is a flag. A lone `-`, a negative number and a sentence that begins with a dash are not. */
const looksLikeFlag = (word: string): boolean => /^--?[A-Za-z][\w-]*(=|$)/.test(word);

interface Taken {
  readonly flag: Flag;
  readonly found: string[];
  readonly remaining: string[];
}

function takeFlag(word: string, rest: string[]): Result<Taken> {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const name = equals < 0 ? word : word.slice(0, equals);
  const inline = equals < 0 ? undefined : word.slice(equals + 1);
  const flag = findFlag(name);
  if (MISSING.has(name))
    return err(usage(`Lathe does not have ${name}, so nothing was begun.`, 'Leave it out.'));
  if (flag === undefined) return err(unknownFlag(name));
  if (flag.kind === 'filter') return ok({ flag, found: [], remaining: rest });
  if (flag.kind === 'switch') {
    if (inline !== undefined) return err(usage(`${name} takes no value.`));
    return ok({ flag, found: [], remaining: rest });
  }
  if (flag.kind === 'list') return takeList(flag, inline, rest);
  if (inline !== undefined) return ok({ flag, found: [inline], remaining: rest });
  const [value, ...remaining] = rest;
  // The next word is a value even when it starts with a dash, unless it is a flag of ours.
  if (value === undefined || findFlag(value) !== undefined)
    return err(usage(`${name} needs a value: ${name} ${flag.value ?? 'VALUE'}`));
  return ok({ flag, found: [value], remaining });
}

function takeList(flag: Flag, inline: string | undefined, rest: string[]): Result<Taken> {
  if (inline !== undefined) return ok({ flag, found: [inline], remaining: rest });
  const end = rest.findIndex((word) => looksLikeFlag(word) || word === '--');
  const found = end < 0 ? rest : rest.slice(0, end);
  if (found.length === 0)
    return err(usage(`${flag.name} needs a value: ${flag.name} ${flag.value ?? 'VALUE'}`));
  return ok({ flag, found, remaining: end < 0 ? [] : rest.slice(end) });
}

function unknownFlag(name: string) {
  const names = FLAGS.flatMap((flag) => [flag.name, ...(flag.aliases ?? [])]);
  const guess = nearest(name, names);
  return usage(
    `Unknown flag ${name}.`,
    guess === null ? 'See lathe --help.' : `Did you mean ${guess}? See lathe --help.`,
  );
}

/** Creates the fault for a mistake on the command line. */
export const usage = (message: string, fix = 'See lathe --help.') => fault('usage', message, fix);

/** Returns the candidate that is most like a mistyped word, or null when none is close. */
function nearest(word: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({
      candidate,
      distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, word.length / 3)
    ? best.candidate
    : null;
}

/** Counts the single-character insertions, deletions and replacements that lead from one word to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const shifted = Math.min(previous[column] ?? 0, current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, shifted));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

/** Reads `--debug` and `--debug-file`, which every command has. */
export function debugFlags(values: Scanned['values'], base: string): DebugFlags {
  const file = values.get('--debug-file')?.at(-1);
  return file === undefined
    ? { debug: values.has('--debug') }
    : { debug: true, debugFile: resolve(base, file) };
}
