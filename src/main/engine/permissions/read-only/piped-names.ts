import type { FolderScan, ShellCommand } from '../request';
import { fitShape, type PathUse } from './command-shape';
import { FILE_READERS } from './files';
import { GIT_READERS } from './git';
import { findListing } from './scripts';

/** The names a command is given through a pipe: of files below some folders. */
export interface PipedNames {
  /** Folders and files that were gone through. */
  readonly roots: readonly PathUse[];
  /** The command that went through them: where relative names begin. */
  readonly lister: ShellCommand;
  /** Their last names fit one of these patterns. Absent: any. */
  readonly names?: readonly string[];
  /** Null: nothing there needs a look. */
  readonly below: FolderScan | null;
  /** Names end with NUL. */
  readonly nul: boolean;
}

/** A listing command's names. */
type Listing = Omit<PipedNames, 'lister'>;

/**
 * Returns the names that the commands of a pipe write, where these are known to be names of files
 * below known folders and nothing else: one that lists, and others that only choose among its
 * lines. Null for anything else.
 */
export function pipedNames(pipe: readonly ShellCommand[]): PipedNames | null {
  const [lister, ...filters] = pipe.filter(({ role }) => role !== 'wrapper');
  if (!lister || pipe.some(isUnclear) || lister.reads.length > 0) return null;
  const listing = listingOf(lister);
  if (listing === null) return null;
  const turned = isNulMaker(filters.at(-1));
  const choosing = turned ? filters.slice(0, -1) : filters;
  if (!choosing.every((filter) => chooses(filter, listing.nul))) return null;
  return { ...listing, lister, nul: listing.nul || turned };
}

const isUnclear = ({ doubt, hasInput, assignments }: ShellCommand): boolean =>
  doubt !== undefined || hasInput === true || assignments.length > 0;

function listingOf(command: ShellCommand): Listing | null {
  switch (command.words[0]) {
    case 'find':
      return findNames(command);
    case 'git':
      return gitNames(command);
    case 'ls':
      return command.words.slice(1).every((word) => /^-[1aAtSrU]+$/.test(word ?? ''))
        ? all([{ word: '.', glob: false }], false)
        : null;
    case 'rg':
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return matchingFiles(command);
    case 'fd':
    case 'fdfind':
      return fdNames(command);
    default:
      return null;
  }
}

/** Creates a listing of every name below some folders. */
const all = (roots: readonly PathUse[], nul: boolean, names?: readonly string[]): Listing => ({
  roots: roots.length > 0 ? roots : [{ word: '.', glob: false }],
  nul,
  ...(names ? { names } : {}),
  below: { follows: false, links: true, plain: true, ...(names ? { names } : {}) },
});

function findNames(command: ShellCommand): Listing | null {
  const roots = findListing(command);
  const { words } = command;
  const has = (...primaries: string[]) => words.some((word) => primaries.includes(word ?? ''));
  if (
    roots === null ||
    words.includes(null) ||
    has('-printf', '-ls', '-newer', '-anewer', '-cnewer')
  )
    return null;
  const follows = has('-L', '-follow');
  const { names, onlyFiles } = whatFindPicks(words.map((word) => word ?? ''));
  const nul = has('-print0');
  if (nul && has('-print')) return null;
  const links = !onlyFiles || follows;
  // Names of `find` begin with their folder, so that none of them looks like an option.
  const plain = !nul;
  const only = names ? { names } : {};
  return { roots, nul, ...only, below: links || plain ? { follows, links, plain, ...only } : null };
}

/**
 * Returns which names a `find` picks, as far as its expression is a plain list of conditions or one
 * group of alternatives.
 */
function whatFindPicks(words: readonly string[]): {
  readonly names: readonly string[] | null;
  readonly onlyFiles: boolean;
} {
  const start = words.findIndex((word, i) => i > 0 && /^(-[^LHP]|\(|!)/.test(word));
  const terms = start < 0 ? [] : withoutPruned(words.slice(start));
  // What is ruled out only makes the list shorter.
  const positive = terms.filter(
    (word, i) =>
      !/^(!|-not)$/.test(word) &&
      !(/^(!|-not)$/.test(terms[i - 1] ?? '') && /^-i?(name|path|wholename)$/.test(word)) &&
      !(
        /^(!|-not)$/.test(terms[i - 2] ?? '') &&
        /^-i?(name|path|wholename)$/.test(terms[i - 1] ?? '')
      ),
  );
  const negatesMore = terms.some(
    (word, i) => /^(!|-not)$/.test(word) && !/^-i?(name|path|wholename)$/.test(terms[i + 1] ?? ''),
  );
  const named = positive.flatMap((word, i) =>
    /^-i?name$/.test(positive[i - 1] ?? '') ? [word] : [],
  );
  const shape = positive
    .map((word, i) => (/^-i?name$/.test(positive[i - 1] ?? '') ? 'N' : word))
    .join(' ');
  const group = /^(-type f )?\( (-i?name N)( (-o|-or) -i?name N)* \)( -type f)?( -print0?)?$/;
  const alternatives = /^-i?name N( (-o|-or) -i?name N)*$/;
  const isChoice = / (-o|-or|,) |[()]/.test(` ${shape} `);
  // What stands behind an action does not limit it.
  const printsEarly = terms.slice(0, -1).some((word) => /^-print0?$/.test(word));
  if (negatesMore || printsEarly) return { names: null, onlyFiles: false };
  if (isChoice)
    return group.test(shape) || alternatives.test(shape)
      ? { names: named, onlyFiles: /-type f/.test(shape) }
      : { names: null, onlyFiles: false };
  return { names: named.length === 1 ? named : null, onlyFiles: /(^| )-type f( |$)/.test(shape) };
}

/** Returns the terms of a `find` without those before that only leave out folders: `-name x -prune -o … -print`. */
function withoutPruned(terms: readonly string[]): readonly string[] {
  // Without an action of their own the folders are printed, too.
  if (!/^-print0?$/.test(terms.at(-1) ?? '')) return terms;
  let from = 0;
  for (;;) {
    const at = terms[from] === '-type' && terms[from + 1] === 'd' ? from + 2 : from;
    const isPruned =
      /^-(?:i?name|path)$/.test(terms[at] ?? '') &&
      terms[at + 2] === '-prune' &&
      /^-(?:o|or)$/.test(terms[at + 3] ?? '');
    if (!isPruned) return terms.slice(from);
    from = at + 4;
  }
}

/**
 * Returns the listing of `git ls-files` and of changed files: names as the repository has them,
 * links too.
 */
function gitNames(command: ShellCommand): Listing | null {
  const [, first = '', ...rest] = command.words;
  const shape = GIT_READERS[first ?? ''];
  if (!shape || command.words.includes(null)) return null;
  const operands = fitShape(shape, command, 2);
  if (operands === null) return null;
  const options = rest.filter((word) => word?.startsWith('-'));
  const nul = options.some((word) => word === '-z');
  if (first === 'ls-files') {
    const plain = options.every((word) =>
      /^(-[cmdoz]+|--(cached|modified|deleted|others|exclude-standard)?)$/.test(word ?? ''),
    );
    const specs = operands.flatMap((use) => use?.word ?? []);
    if (!plain || specs.some((spec) => spec.startsWith(':'))) return null;
    if (!specs.some((spec) => /[*?[\\]/.test(spec)))
      return all(
        operands.filter((use) => use !== null),
        nul,
      );
    const names = specs.map((spec) => spec.split('/').at(-1) ?? '');
    return all([], nul, names.every((name) => /\*\.\w+$/.test(name)) ? names : undefined);
  }
  const named = /^(diff|grep)$/.test(first ?? '') && lists(first ?? '', options);
  return named ? all([], nul) : null;
}

const lists = (subcommand: string, options: readonly (string | null)[]): boolean =>
  subcommand === 'diff'
    ? options.includes('--name-only') &&
      options.every((word) =>
        /^(--name-only|--cached|--staged|-z|--diff-filter=\w+|--)$/.test(word ?? ''),
      )
    : options.some((word) => /^(-\w*l|--files-with-matches|--name-only)$/.test(word ?? '')) &&
      options.every((word) =>
        /^(-[liEFPwe]+|--files-with-matches|--name-only|--)$/.test(word ?? ''),
      );

/** Returns the listing of `grep -rl` and `rg -l`: real files only, since they follow no links. */
function matchingFiles(command: ShellCommand): Listing | null {
  const name = command.words[0] ?? '';
  const shape = FILE_READERS[name];
  const options = command.words.slice(1).filter((word) => word?.startsWith('-'));
  const only =
    name === 'rg'
      ? /^(-[a-zA-Z]*l[a-zA-Z]*|--files|--files-with(out)?-match(es)?)$/
      : /^(-[a-zA-Z]*[lL][a-zA-Z]*|--files-with(out-match|-matches))$/;
  if (!shape || !options.some((word) => only.test(word ?? ''))) return null;
  // Whatever shows more than a name, or follows links.
  const more =
    name === 'rg'
      ? /^(-[a-zA-Z]*[cLrIhHn0]|--(count|follow|replace|json|null|heading|pretty|vimgrep|stats|type-list|color|passthru))/
      : /^(-[a-zA-Z]*[cRZz]|--(count|dereference|null|color|colour))/;
  if (command.words.includes(null) || options.some((word) => more.test(word ?? ''))) return null;
  const operands = fitShape(shape, command, 1);
  if (operands === null) return null;
  const patternGiven = options.some((word) => /^(-[a-zA-Z]*e|--regexp|--files$)/.test(word ?? ''));
  const roots = operands.slice(patternGiven ? 0 : 1).filter((use) => use !== null);
  const recurses =
    name === 'rg' || options.some((word) => /^(-[a-zA-Z]*r|--recursive$)/.test(word ?? ''));
  if (!recurses && roots.length === 0) return null;
  const listing = all(roots, false);
  return { ...listing, below: { follows: false, links: false, plain: true } };
}

function fdNames(command: ShellCommand): Listing | null {
  const shape = FILE_READERS['fd'];
  const options = command.words.slice(1).filter((word) => word?.startsWith('-'));
  const plain = options.every((word) =>
    /^(-[etHIgui0]\w*|--(type|extension|hidden)(=\w+)?|--print0)$/.test(word ?? ''),
  );
  if (!shape || !plain || command.words.includes(null)) return null;
  const operands = fitShape(shape, command, 1);
  const nul = options.some((word) => /^(-[HIgui]*0|--print0)$/.test(word ?? ''));
  return operands === null
    ? null
    : all(
        operands.slice(1).filter((use) => use !== null),
        nul,
      );
}

/** Commands that choose among lines and change none, with the options that keep it so. */
const FILTERS: Readonly<Record<string, RegExp>> = {
  grep: /^-[vivEFwxPz]+$/,
  egrep: /^-[viwxz]+$/,
  fgrep: /^-[viwxz]+$/,
  head: /^(-\d+|-n\d*|-z)$/,
  tail: /^(-\d+|-n\+?\d*|-z)$/,
  sort: /^-[urnfVz]+$/,
  uniq: /^-[udiz]+$/,
  tac: /^$/,
};

/**
 * Tells whether a command passes on some of its input lines unchanged. `nul`: they end with NUL.
 */
function chooses(command: ShellCommand, nul: boolean): boolean {
  const [name, ...words] = command.words;
  const options = Object.hasOwn(FILTERS, name ?? '') ? FILTERS[name ?? ''] : undefined;
  if (!options || command.role !== undefined || words.includes(null) || command.reads.length > 0)
    return false;
  const isOption = (word: string | null) => word?.startsWith('-') === true;
  const free = words.filter((word) => !isOption(word)).length;
  const counted = /^(head|tail)$/.test(name ?? '') && words.includes('-n') ? 1 : 0;
  const wanted = /grep$/.test(name ?? '') ? 1 : counted;
  const separated = nul ? words.some((word) => /^-\w*z/.test(word ?? '')) : true;
  const known = words.every((word) => !isOption(word) || options.test(word ?? ''));
  return known && free === wanted && separated && !(counted === 1 && !isCount(words));
}

const isCount = (words: readonly (string | null)[]): boolean =>
  /^\+?\d+$/.test(words[words.indexOf('-n') + 1] ?? '');

/** Tells whether a command is `tr '\n' '\0'`, after which names end with NUL. */
const isNulMaker = (command: ShellCommand | undefined): boolean =>
  command?.words.length === 3 &&
  command.words[0] === 'tr' &&
  command.words[1] === '\\n' &&
  /^\\(0|000)$/.test(command.words[2] ?? '');

/** A command that is started with more words than the line says, without those. */
export interface XargsCommand {
  readonly command: ShellCommand;
  /** The words are cut at NUL, and so are whole names. */
  readonly nul: boolean;
}

const PLAIN = /^(-[0rtx]+|--null|--no-run-if-empty|--verbose|--exit)$/;
const NUMBERED = /^(-[nPLs]|--max-(args|procs|lines|chars))$/;
const NUMBER_INSIDE = /^(-[nPLs]\d+|--max-(args|procs|lines|chars)=\d+)$/;

/**
 * Returns the command `xargs` starts, without the words it adds: for `xargs` with options that only
 * say how words are cut and grouped, and for a command that plain `xargs` was already taken off.
 * Null for any other command, or when no pipe hands it anything.
 */
export function xargsCommand(command: ShellCommand): XargsCommand | null {
  if (command.pipedFrom === undefined) return null;
  if (command.words[0] !== 'xargs')
    return { command: { ...without(command), words: command.words.slice(0, -1) }, nul: false };
  let nul = false;
  let placeholder: string | null = null;
  let at = 1;
  for (; at < command.words.length; at++) {
    const word = command.words[at] ?? '';
    if (!word.startsWith('-')) break;
    if (word === '-0' || word === '--null' || /^-[rtx]*0/.test(word)) nul = true;
    const value = /^-I(.*)$/s.exec(word)?.[1];
    if (value !== undefined) placeholder = value === '' ? (command.words[++at] ?? '') : value;
    else if (NUMBERED.test(word)) at++;
    else if (!PLAIN.test(word) && !NUMBER_INSIDE.test(word)) return null;
  }
  const words = command.words.slice(at);
  // Anywhere else but at the end it might be a pattern, or the value of an option.
  if (placeholder !== null && words.at(-1) !== placeholder) return null;
  const rest = placeholder === null ? words : words.slice(0, -1);
  if (rest.includes(null) || rest.length === 0) return null;
  const embedded = placeholder === '' || rest.some((word) => word?.includes(placeholder ?? '\0'));
  return embedded ? null : { command: { ...without(command), words: rest }, nul };
}

const without = ({ pipedFrom: _, globs: __, ...command }: ShellCommand): ShellCommand => command;
