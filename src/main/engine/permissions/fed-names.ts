import type { Below } from './below';
import { FILE_READERS } from './readonly/files';
import { GIT_READERS } from './readonly/git';
import { fitShape, type PathUse } from './readonly/shape';
import { findListing } from './readonly/special';
import type { ShellCommand } from './request';

/** The names a command is handed through a pipe: of files below some folders. */
export interface FedNames {
  /** Folders and files that were gone through. */
  readonly roots: readonly PathUse[];
  /** The command that went through them: where relative names begin. */
  readonly lister: ShellCommand;
  /** Their last names fit one of these patterns. Absent: any. */
  readonly names?: readonly string[];
  /** Null: nothing there needs a look. */
  readonly below: Below | null;
  /** Names end with NUL. */
  readonly nul: boolean;
}

/** What a lister says about the names it writes. */
type Listing = Omit<FedNames, 'lister'>;

/**
 * The names that the commands of a pipe write, where these are known to be names of files below known folders and
 * nothing else: one that lists, and others that only choose among its lines. Null for anything else.
 */
export function fedNames(pipe: readonly ShellCommand[]): FedNames | null {
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

/** Every name below some folders may come. */
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

/** Which names a `find` picks, as far as its expression is a plain list of conditions or one group of alternatives. */
function whatFindPicks(words: readonly string[]): {
  readonly names: readonly string[] | null;
  readonly onlyFiles: boolean;
} {
  const start = words.findIndex((word, i) => i > 0 && /^(-[^LHP]|\(|!)/.test(word));
  const terms = start < 0 ? [] : words.slice(start);
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
  if (negatesMore) return { names: null, onlyFiles: false };
  if (isChoice)
    return group.test(shape) || alternatives.test(shape)
      ? { names: named, onlyFiles: /-type f/.test(shape) }
      : { names: null, onlyFiles: false };
  return { names: named.length === 1 ? named : null, onlyFiles: /(^| )-type f( |$)/.test(shape) };
}

/** `git ls-files` and lists of changed files: names as the repository has them, links too. */
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

/** `grep -rl`, `rg -l`: real files only, for links are not followed. */
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

/** Whether a command hands on some of the lines it gets, as they are. `nul`: they end with NUL. */
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

/** `tr '\n' '\0'`: from here on names end with NUL. */
const isNulMaker = (command: ShellCommand | undefined): boolean =>
  command?.words.length === 3 &&
  command.words[0] === 'tr' &&
  command.words[1] === '\\n' &&
  /^\\(0|000)$/.test(command.words[2] ?? '');
