import type { Word } from './words';

/** Words of the shell in front of a command that leave it a command of the same shell. */
const IN_FRONT = /^(?:builtin|command|time|noglob|nocorrect|exec|-)$/;
/** Builtins that read in a file, which may set anything, or give their names to others. */
const READS_IN = /^(?:\.|source|alias)$/;
/** Builtins whose words are names that they set or forget. */
const SETS_NAMES = /^(?:unset|let|getopts|mapfile|readarray)$/;
/** Options that a name may follow without a space: `printf -vX`. */
const GLUED = /^-\w*?[apv](\w+)$/;
/** Builtins that take `NAME=value`, where the shell splits no value unless the builtin is quoted or has a word in front. */
const DECLARES = /^(?:export|readonly|declare|typeset|local)$/;
/** Options of `read` that take the next word, which is no name. */
const READ_OPTION = /^-[ers]*[dinNptu]$/;
/** Words in quotes that stay one word: `"$@"` and `"${!X}"` may be several. */
const ONE_WORD = /^"[^"@!]*"$/;
/** Texts in quotes with variables and nothing else to fill in. Other shells read more behind a name: `"$X[@]"`, `"$X:h"`. */
const WITH_VARIABLES = /^"(?:[^"`$[:]|\$\w+|\$\{\w+\})*"$/;
/** Variables that the shell sets by itself. */
const OWN =
  /^(?:_|PWD|OLDPWD|REPLY|MAPFILE|OPTARG|OPTIND|OPTERR|COPROC(?:_PID)?|DIRSTACK|PIPESTATUS|RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|COLUMNS|LINES|E?UID|PPID|GROUPS|FUNCNAME|HOSTNAME|EPOCH\w*|BASH\w*)$/;

/** The variables that the commands of a line may set without showing it in the text of the line. */
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

  /** Creates changes of any variable. */
  static ofAny(): VariableChanges {
    const changes = new VariableChanges();
    changes.addAny();
    return changes;
  }

  get isEmpty(): boolean {
    return !this.#isAny && this.#names.size === 0;
  }

  /** Tells whether all that others may set is among what these may. */
  covers(others: VariableChanges): boolean {
    return this.#isAny || (!others.#isAny && [...others.#names].every((name) => this.has(name)));
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
  const at = nameAt(words);
  const [called, ...rest] = words.slice(at);
  if (called === undefined) return [];
  const name = called.value;
  if (name === null) return isPath(called) ? [] : null;
  if (READS_IN.test(name)) return null;
  if (name === 'eval' || name === 'trap') return mayRunAny(rest) ? null : [];
  if (name === 'printf') return changedByPrintf(rest);
  if (name === 'wait') return namesIn(rest.filter(isValueOfOption));
  if (name === 'read') return changedByRead(rest);
  // What `mapfile -C` calls may do anything.
  if (/^(?:mapfile|readarray)$/.test(name) && hasOption(rest, /^-\w*C/)) return null;
  if (SETS_NAMES.test(name)) return namesIn(rest);
  if (!DECLARES.test(name)) return [];
  // A variable that stands for another one sets that, whatever its name.
  if (!/^(?:export|readonly)$/.test(name) && hasOption(rest, /^-\w*n/)) return null;
  const isSplit = at > 0 || called.source !== name;
  return namesIn(rest, isSplit ? ASSIGNS_QUOTED : ASSIGNS);
}

const hasOption = (words: readonly Word[], option: RegExp): boolean =>
  words.some(({ value }) => option.test(value ?? ''));

/** Returns what `printf` may set; null where its first word may be an option or nothing, so that the next one counts. */
function changedByPrintf(words: readonly Word[]): readonly Change[] | null {
  const [first] = words;
  if (first?.value === null) return /^"[^-$`"\\][^"]*"$/.test(first.source) ? [] : null;
  return first?.value.startsWith('-v') ? namesIn(words.slice(0, 2)) : [];
}

/** Returns what `read` may set; null for any variable. */
function changedByRead(words: readonly Word[]): readonly Change[] | null {
  const names: Word[] = [];
  let at = 0;
  for (let word = words[at]; word?.value?.startsWith('-'); word = words[++at]) {
    names.push(word);
    if (!READ_OPTION.test(word.value)) continue;
    const text = words[++at];
    if (text?.value === null && !ONE_WORD.test(text.source)) return null;
  }
  return namesIn([...names, ...words.slice(at)]);
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
const isPath = ({ source }: Word): boolean =>
  WITH_VARIABLES.test(source) && source.replace(/\$(?:\w+|\{\w+\})/g, '').includes('/');

/** Tells whether a text that is run is known only at run time. A trap for the end runs when the rest has run. */
function mayRunAny(words: readonly Word[]): boolean {
  const [, ...signals] = words;
  const isAtEnd =
    signals.length > 0 && signals.every(({ value }) => /^(?:EXIT|0)$/.test(value ?? ''));
  return !isAtEnd && words.some(({ value }) => value === null);
}

/** Tells whether a word is an option, or what one of `wait` is followed by. */
const isValueOfOption = ({ value }: Word, at: number, words: readonly Word[]): boolean =>
  value?.startsWith('-') === true || /^-\w*p$/.test(words[at - 1]?.value ?? '');

/** Finds the name in `NAME=value` with a value known only at run time. */
type FindName = (source: string) => string | undefined;
const ASSIGNS_QUOTED: FindName = (source) =>
  ONE_WORD.test(source) ? /^"(\w+)\+?=/.exec(source)?.[1] : undefined;
const ASSIGNS: FindName = (source) => /^(\w+)\+?=/.exec(source)?.[1] ?? ASSIGNS_QUOTED(source);

/** Returns the names in the words of a builtin; null where a word may name any. `assigned` finds those of assignments. */
function namesIn(words: readonly Word[], assigned?: FindName): readonly Change[] | null {
  const changes: Change[] = [];
  for (const { value, source } of words) {
    const name = value === null ? assigned?.(source) : /^\w+/.exec(value)?.[0];
    if (value === null && name === undefined) return null;
    const glued = GLUED.exec(value ?? '')?.[1];
    if (name !== undefined) changes.push({ name, source });
    // Behind its option a name is no word of its own, wherever it stands.
    if (glued !== undefined) changes.push({ name: glued, source: '' });
  }
  return changes;
}
