import type { ShellCommand } from '../request';

/**
 * The options and operands of a command that only reads. Everything not listed is refused
 * (docs/security.md 5).
 */
export interface CommandShape {
  /**
   * Known-safe options, separated by spaces: `-abc` are letters without a value, `-nm:` letters with one,
   * `--name` without, `--name=` with a value, `-I?` letters with a value only when it is attached. `-#` is a number,
   * `*` any option.
   */
  readonly options: string;
  /**
   * The kind of its operands: paths to read, plain text, a pattern and then paths, git revisions or
   * paths, or nothing.
   */
  readonly operands: 'paths' | 'text' | 'pattern' | 'revisions' | 'none';
  readonly maxOperands?: number;
  /** No option at all can do harm, so a glob or a variable that turns into one does not matter. */
  readonly harmless?: boolean;
  /** It has options that write or run something: no glob may stand where one of its matches could be an option. */
  readonly wary?: boolean;
  /** For text: behind this many operands no word is an option any more, so it may be anything. */
  readonly freeAfter?: number;
  /** A last look at words that passed; false refuses. */
  readonly also?: (words: readonly string[]) => boolean;
}

/** Returns a shape whose operands are paths. */
export const paths = (options: string, extra: Partial<CommandShape> = {}): CommandShape => ({
  options,
  operands: 'paths',
  ...extra,
});

/** Returns a shape whose operands are plain text. */
export const text = (options: string, extra: Partial<CommandShape> = {}): CommandShape => ({
  options,
  operands: 'text',
  ...extra,
});

/** No option of the command can do harm. */
export const HARMLESS = { harmless: true } as const;

/** A path a command uses: a literal word, or a glob pattern. */
export interface PathUse {
  readonly word: string;
  readonly glob: boolean;
}

/**
 * Returns the operands of a command that fits a shape; null when it does not. `from` is the index
 * of its first argument.
 */
export function fitShape(
  shape: CommandShape,
  command: ShellCommand,
  from: number,
): readonly (PathUse | null)[] | null {
  const known = readOptions(shape.options);
  const operands: (PathUse | null)[] = [];
  const literals: string[] = [];
  let optionsEnded = false;
  for (let i = from; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (word === null) {
      if (glob !== undefined && !optionsEnded && isOptionWithGlobValue(known, glob)) {
        literals.push(glob);
        continue;
      }
      const operand = runtimeWord(shape, glob, optionsEnded, operands.length);
      if (operand === undefined) return null;
      operands.push(operand);
      continue;
    }
    literals.push(word);
    if (optionsEnded || word === '-' || !word.startsWith('-') || known.any) {
      operands.push({ word, glob: false });
    } else if (word === '--') {
      optionsEnded = true;
    } else {
      const taken = takeOption(known, word);
      if (taken === null) return null;
      if (taken === 'nextWord') {
        const value = command.words[++i];
        if (typeof value !== 'string') return null;
        literals.push(value);
      }
    }
  }
  if (operands.length > (shape.maxOperands ?? Number.POSITIVE_INFINITY)) return null;
  if (shape.operands === 'none' && operands.length > 0) return null;
  return shape.also && !shape.also(literals) ? null : operands;
}

/**
 * Judges a word only known at run time: a path glob passes, and anything where nothing can do harm.
 * Undefined refuses. A glob of paths may match a file that is named like an option: looking it up
 * finds that out, and then it is asked.
 */
function runtimeWord(
  shape: CommandShape,
  glob: string | undefined,
  optionsEnded: boolean,
  before: number,
): PathUse | null | undefined {
  if (shape.operands === 'text')
    return shape.harmless || before >= (shape.freeAfter ?? Number.POSITIVE_INFINITY)
      ? null
      : undefined;
  if (glob === undefined) return undefined;
  const isPath = shape.operands === 'paths' || (shape.operands === 'pattern' && before > 0);
  const mayBeOption = /^[*?[-]/.test(glob) && !optionsEnded;
  if (mayBeOption && shape.wary) return undefined;
  return mayBeOption && !shape.harmless && !isPath ? undefined : { word: glob, glob: true };
}

/** Tells whether a glob is the value of a known option, as in `--include=*.ts`. */
const isOptionWithGlobValue = (known: KnownOptions, glob: string): boolean =>
  known.hasValuedName(/^(--[a-z-]+)=/.exec(glob)?.[1] ?? '');

interface KnownOptions {
  readonly letters: string;
  readonly valuedLetters: string;
  readonly attachedLetters: string;
  /** Tells whether a long option is listed, without and with a value. */
  readonly hasName: (name: string) => boolean;
  readonly hasValuedName: (name: string) => boolean;
  /** `-5` as a number of lines. */
  readonly number: boolean;
  readonly any: boolean;
}

const NAME = /^--[\w-]+$/;

function readOptions(options: string): KnownOptions {
  const padded = ` ${options} `;
  const letters = { '': '', ':': '', '?': '' };
  for (const [, names = '', kind = ''] of padded.matchAll(/ -([^-\s][^\s:?]*)([:?]?)(?= )/g))
    letters[kind as keyof typeof letters] += names;
  return {
    letters: letters[''],
    valuedLetters: letters[':'],
    attachedLetters: letters['?'],
    hasName: (name) => NAME.test(name) && padded.includes(` ${name} `),
    hasValuedName: (name) => NAME.test(name) && padded.includes(` ${name}= `),
    number: padded.includes(' -# '),
    any: options === '*',
  };
}

/**
 * Tells whether an option is known, and whether its value is the next word. Abbreviated names are
 * not known.
 */
function takeOption(known: KnownOptions, word: string): 'alone' | 'nextWord' | null {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    if (equals >= 0) return known.hasValuedName(name) ? 'alone' : null;
    if (known.hasName(name)) return 'alone';
    return known.hasValuedName(name) ? 'nextWord' : null;
  }
  if (known.number && /^-\d+f?$/.test(word)) return 'alone';
  for (let i = 1; i < word.length; i++) {
    const letter = word.charAt(i);
    if (letter !== '#' && known.letters.includes(letter)) continue;
    if (known.attachedLetters.includes(letter)) return 'alone';
    if (known.valuedLetters.includes(letter)) return i + 1 < word.length ? 'alone' : 'nextWord';
    return null;
  }
  return 'alone';
}
