import type { Word } from './words';

/** Words of the shell in front of a command that leave it a command of the same shell. */
const IN_FRONT = /^(?:builtin|command|time|noglob|nocorrect|exec|-)$/;
/** Builtins that read in a file, which may set anything, or give their names to others. */
const READS_IN = /^(?:\.|source|alias)$/;
/** Builtins whose words are names that they set or forget. */
const SETS_NAMES =
  /^(?:export|readonly|declare|typeset|local|read|unset|let|getopts|mapfile|readarray)$/;
/** Options that a name may follow without a space: `printf -vX`. */
const GLUED = /^-\w*?[apv](\w+)$/;
/** Options of `read` that take a word which is no name. */
const READ_OPTION = /^-\w*[dinNptu]$/;
/** Variables that the shell sets by itself. */
const OWN =
  /^(?:_|PWD|OLDPWD|REPLY|MAPFILE|OPTARG|OPTIND|OPTERR|COPROC(?:_PID)?|DIRSTACK|PIPESTATUS|RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|COLUMNS|LINES|E?UID|PPID|GROUPS|FUNCNAME|HOSTNAME|EPOCH\w*|BASH\w*)$/;

/** What the commands of a line may do to its variables, besides what its text shows. */
export class VariableChanges {
  #isAny = false;
  readonly #names = new Set<string>();

  /**
   * Notes what a command of the line's own shell may set. `isShown`: its words stand in the line as they are; a name that
   * can be read there is counted elsewhere.
   */
  note(words: readonly Word[], isShown: boolean): void {
    const changed = changedBy(words);
    if (changed === null) this.addAny();
    for (const { name, source } of changed ?? [])
      if (!isShown || !new RegExp(`\\b${name}\\b`).test(source)) this.add(name);
  }

  /** Notes that a variable is set. */
  add(name: string): void {
    this.#names.add(name);
    // With other separators the value of any may be several words.
    if (name === 'IFS') this.addAny();
  }

  /** Notes that any variable may be set. */
  addAny(): void {
    this.#isAny = true;
  }

  get isEmpty(): boolean {
    return !this.#isAny && this.#names.size === 0;
  }

  /** Tells whether a variable may hold something else than the line shows. */
  has(name: string): boolean {
    return this.#isAny || this.#names.has(name) || OWN.test(name);
  }
}

/** A variable that a command sets, and the word that says so. */
interface Change {
  readonly name: string;
  readonly source: string;
}

/** Returns the variables that a command may set by its words; null when that may be any. */
function changedBy(words: readonly Word[]): readonly Change[] | null {
  const [called, ...rest] = words.slice(nameAt(words));
  if (called === undefined) return [];
  const name = called.value;
  if (name === null) return isPath(called) ? [] : null;
  if (READS_IN.test(name)) return null;
  if (name === 'eval' || name === 'trap') return mayRunAny(rest) ? null : [];
  if (name === 'printf') return setsText(rest[0]) ? namesIn(rest.slice(0, 2)) : [];
  if (name === 'wait') return namesIn(rest.filter(isValueOfOption));
  if (!SETS_NAMES.test(name)) return [];
  // What `mapfile -C` calls may do anything.
  if (rest.some(({ value }) => /^-\w*C/.test(value ?? ''))) return null;
  const isText = (at: number) => name === 'read' && READ_OPTION.test(rest[at - 1]?.value ?? '');
  return namesIn(rest.filter((_, at) => !isText(at)));
}

/** Returns where the name of a command stands, behind words of the shell with their options and assignments. */
function nameAt(words: readonly Word[]): number {
  const text = (at: number): string => words[at]?.value ?? words[at]?.source ?? '';
  let at = 0;
  while (IN_FRONT.test(text(at))) {
    // `command -v x` only tells where x is.
    if (text(at) === 'command' && /^-\w*[vV]/.test(text(at + 1))) return words.length;
    at++;
    while (/^-.|^\w+\+?=/.test(text(at))) at++;
  }
  return at;
}

/** Tells whether a name known only at run time is surely a path, which no builtin is. */
const isPath = ({ source, glob }: Word): boolean =>
  glob?.includes('/') === true ||
  (/^"[^"`]*"$/.test(source) && source.replace(/\$(?:\w+|\{\w+\})/g, '').includes('/'));

/** Tells whether a text that is run is known only at run time. A trap for the end runs when the rest has run. */
function mayRunAny(words: readonly Word[]): boolean {
  const [, ...signals] = words;
  const isAtEnd =
    signals.length > 0 && signals.every(({ value }) => /^(?:EXIT|0)$/.test(value ?? ''));
  return !isAtEnd && words.some(({ value }) => value === null);
}

/** Tells whether the first word of `printf` may be the option that sets a variable. */
const setsText = (word: Word | undefined): boolean =>
  word !== undefined &&
  (word.value === null ? /^["']?[$`]/.test(word.source) : word.value.startsWith('-v'));

/** Tells whether a word is an option, or what one of `wait` is followed by. */
const isValueOfOption = ({ value }: Word, at: number, words: readonly Word[]): boolean =>
  value?.startsWith('-') === true || /^-\w*p$/.test(words[at - 1]?.value ?? '');

function namesIn(words: readonly Word[]): readonly Change[] | null {
  const changes: Change[] = [];
  for (const { value, source } of words) {
    const name = value === null ? /^["']?(\w+)\+?=/.exec(source)?.[1] : /^\w+/.exec(value)?.[0];
    if (value === null && name === undefined) return null;
    const glued = GLUED.exec(value ?? '')?.[1];
    if (name !== undefined) changes.push({ name, source });
    // Behind its option a name is no word of its own, wherever it stands.
    if (glued !== undefined) changes.push({ name: glued, source: '' });
  }
  return changes;
}
