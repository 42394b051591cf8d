import type { Limits } from '../request';

/** A name that stands for a commit, or says that it is one, a folder or a tag. */
const NO_FILE = /^(?:(?:HEAD|@)(?:[~^]\d*)*|.+\^\{(?:commit|tree|tag)\})$/;

/** Options of a comparison that take the next word, and those behind which a word may belong to them. */
const VALUED =
  /^(?:-[a-zA-Z]*[nSGlOU]|--(?!patch|cached|staged|stat|oneline|follow|all|reverse|graph|no-|word-diff|color|name-|minimal|ignore-|text$|binary$|raw$|cc$|merge-base|exit-code|abbrev)[a-z-]+)$/;

/**
 * Returns the words by which a look at what is committed may be limited to some files: `named` when it is about those that
 * the line names, such as `HEAD:path`; null when nothing limits it.
 */
export function limitsOf(
  subcommand: string,
  options: readonly (string | null)[],
  paths: readonly (string | null)[] | null,
): Limits | 'named' | null {
  if (options.includes('--full-diff') || !TAKES_PATHS.test(subcommand)) return null;
  // Behind -L stands a file that need not be one of the paths.
  if (subcommand !== 'grep' && options.some((word) => RANGE.test(word ?? ''))) {
    const files = [...filesOfRanges(options), ...(paths ?? [])];
    return files.includes(null) ? null : { words: files as string[], arePaths: true };
  }
  if (paths !== null && paths.length > 0)
    return paths.includes(null) ? null : { words: paths as string[], arePaths: true };
  const operands = options.filter(
    (word) => word?.startsWith('-') !== true && !(subcommand === 'cat-file' && word === 'blob'),
  );
  if (operands.includes(null) || operands.length === 0) return null;
  if (subcommand === 'cat-file' && operands.every((word) => NO_FILE.test(word ?? '')))
    return 'named';
  if (operands.every((word) => /^(?!:\/)(?::[0-3](?=:))?[^:]*:[^:]+$/.test(word ?? '')))
    return 'named';
  if (paths === null && subcommand === 'grep') return { words: searchedIn(options) };
  if (paths !== null || NO_PATHS.test(subcommand)) return null;
  const words = options.filter(
    (word, at) => !/^(?:-|(?:HEAD|@)$)/.test(word ?? '') && !VALUED.test(options[at - 1] ?? ''),
  ) as string[];
  const arePaths = ONLY_PATHS.test(subcommand) || options.includes('--no-index');
  return { words, ...(arePaths ? { arePaths } : {}) };
}

/** The option of a range of lines in a file: `-L 1,5:file`, `-L:function:file`. */
const RANGE = /^-[^-SGOln]*L/;

/** Returns the files that ranges of lines are in; null for each that is not shown. */
const filesOfRanges = (options: readonly (string | null)[]): readonly (string | null)[] =>
  options.flatMap((word, at) => {
    const [option] = RANGE.exec(word ?? '') ?? [];
    if (option === undefined || word === null) return [];
    const range = word === option ? (options[at + 1] ?? '') : word.slice(option.length);
    return /:([^:]+)$/.exec(range)?.[1] ?? null;
  });

/** Options by which `git grep` is given patterns, or takes the next word. */
const GIVES_PATTERN = /^-(?:[a-zA-Z]*[ef].*|-and|-or)$/;
const TAKES_WORD = /^-[a-zA-Z]*[ABCmef]$/;

/** Returns the words that `git grep` is given beside its pattern: revisions, and then paths. */
function searchedIn(options: readonly (string | null)[]): string[] {
  const operands = options.filter(
    (word, at) => word?.startsWith('-') !== true && !TAKES_WORD.test(options[at - 1] ?? ''),
  ) as string[];
  return operands.slice(options.some((word) => GIVES_PATTERN.test(word ?? '')) ? 0 : 1);
}

/** Tells whether `git grep` searches tracked files as they are now: it is given one pattern, and no revision. */
export const searchesTracked = (options: readonly (string | null)[]): boolean =>
  !options.includes(null) &&
  searchedIn(options).length === 0 &&
  !options.some((word) => SEARCHES_MORE.test(word ?? ''));

/** Options by which `git grep` searches files that are not tracked. */
export const SEARCHES_MORE = /^--(?:un|no-[ie]|rec)/;

/** Subcommands that are limited to the paths they are given. */
const TAKES_PATHS =
  /^(?:add|archive|cat-file|checkout|checkout-index|commit|diff|diff-\w+|difftool|fast-export|format-patch|grep|log|reset|restore|rev-list|send-email|show|stash|stash show|status|whatchanged)$/;
/** Those of them that take a path behind `--` alone, or texts for people before it. */
const NO_PATHS = /^(?:archive|commit|fast-export|format-patch|grep|stash|stash show)$/;
/** Subcommands to which each is one. */
const ONLY_PATHS = /^(?:add|send-email|status)$/;
