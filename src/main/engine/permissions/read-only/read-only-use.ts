import type { ShellCommand } from '../request';
import { isLocalVariable, splitsReading, variableRisk } from '../shell-analysis/variables';
import { type CommandShape, fitShape, type PathUse } from './command-shape';
import { FILE_READERS } from './files';
import { GIT_GLOBAL_OPTIONS, GIT_READERS } from './git';
import { type PipedNames, pipedNames, type XargsCommand, xargsCommand } from './piped-names';
import {
  awkPrints,
  findListing,
  readsIntoLocals,
  sedPrints,
  tarLists,
  withoutJqArguments,
} from './scripts';
import { isVersionQuery, PLAIN_READERS, REPORTS } from './system';

/** The files a read-only command reaches. */
export interface ReadOnlyUse {
  /** The paths it names. Without one it reads its input, or the current folder when `searches`. */
  readonly paths: readonly PathUse[];
  /** It reads the contents of everything below its paths. */
  readonly searches: boolean;
  /** It only reads as long as these are the folder where the line starts. */
  readonly stays?: readonly PathUse[];
  /** It goes through links below its paths. */
  readonly follows?: boolean;
  /** It reads what these names stand for. */
  readonly piped?: PipedNames;
}

const NOTHING: ReadOnlyUse = { paths: [], searches: false };

/**
 * Returns what a command reads when it is known to change nothing; null otherwise. Lists what is
 * allowed, never what is forbidden: an unknown command, option or subcommand is not read-only.
 */
export function readOnlyUse(command: ShellCommand): ReadOnlyUse | null {
  if (command.doubt !== undefined || command.role === 'launcher') return null;
  const own = command.words.length === 0;
  const quietVariables = command.assignments.every(
    (text) =>
      variableRisk(text) === 'harmless' ||
      (own && isLocalVariable(text)) ||
      (command.words[0] === 'read' && splitsReading(text)),
  );
  if (!quietVariables) return null;
  if (own) return NOTHING;
  const name = command.words[0];
  if (typeof name !== 'string') return null;
  const started = xargsCommand(command);
  if (started !== null) return xargsUse(started, command.pipedFrom ?? []) ?? useOf(name, command);
  const use = useOf(name, command);
  return use && goesThroughLinks(name, command) ? { ...use, follows: true } : use;
}

/**
 * Returns the use of a reader that `xargs` gives the names a pipe writes. Without them it must be
 * complete, and a further word must be one more file to read: to `uniq` the second would be a file
 * to write.
 */
function xargsUse(
  { command, nul }: XargsCommand,
  pipe: readonly ShellCommand[],
): ReadOnlyUse | null {
  const name = command.words[0] ?? '';
  const use = readOnlyUse(command);
  if (use === null) return null;
  const shape = Object.hasOwn(FILE_READERS, name) ? FILE_READERS[name] : undefined;
  const isReader = shape
    ? /^(paths|pattern)$/.test(shape.operands) && shape.maxOperands === undefined
    : /^(sed|[gmn]?awk)$/.test(name);
  if (!isReader) return shape?.operands === 'text' || name === 'echo' ? use : null;
  if (shape?.operands === 'pattern' && lacksPattern(command)) return null;
  const piped = pipedNames(pipe);
  return piped !== null && piped.nul === nul ? { ...use, piped } : null;
}

/** Tells whether the first added word would become the search pattern. */
const lacksPattern = (command: ShellCommand): boolean =>
  !givesPatternByOption(command) &&
  command.words.slice(1).every((word) => word?.startsWith('-') !== false);

/** Tells whether a command follows links below its paths: `grep -R`, `find -L`, `diff -r`. */
function goesThroughLinks(name: string, { words }: ShellCommand): boolean {
  const option = Object.hasOwn(LINK_OPTIONS, name) ? LINK_OPTIONS[name] : undefined;
  return option !== undefined && words.some((word) => option.test(word ?? ''));
}

const LINK_OPTIONS: Readonly<Record<string, RegExp>> = {
  find: /^-(L|follow)$/,
  grep: /^(-[a-zA-Z]*R|--dereference-recursive$)/,
  egrep: /^(-[a-zA-Z]*R|--dereference-recursive$)/,
  fgrep: /^(-[a-zA-Z]*R|--dereference-recursive$)/,
  rg: /^(-[a-zA-Z0-9.]*L|--follow$)/,
  ag: /^(-[a-zA-Z]*f|--follow$)/,
  fd: /^(-[a-zA-Z]*L|--follow$)/,
  fdfind: /^(-[a-zA-Z]*L|--follow$)/,
  ls: /^(-[a-zA-Z1]*L|--dereference$)/,
  du: /^(-[a-zA-Z]*L|--dereference$)/,
  tree: /^-[a-zA-Z]*l/,
  diff: /^(-[a-zA-Z]*r|--recursive$)/,
};

function useOf(name: string, command: ShellCommand): ReadOnlyUse | null {
  switch (name) {
    case 'git':
      return gitUse(command);
    case 'find':
      return pathsOnly(findListing(command));
    case 'sed':
      return pathsOnly(sedPrints(command));
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return pathsOnly(awkPrints(command));
    case 'tar':
      return pathsOnly(tarLists(command));
    case 'read':
      return readsIntoLocals(command) ? NOTHING : null;
    case 'jq':
      return shapedUse(name, withoutJqArguments(command));
    case 'cd':
      return pathsOnly(cdTarget(command));
    case '[':
    case '[[':
      return looksIntoVariables(command) ? null : NOTHING;
    case 'test':
      return looksIntoVariables(command) || comparesNames(command) || command.words.includes(null)
        ? null
        : NOTHING;
    case 'set':
      return setsStrictness(command) ? NOTHING : null;
  }
  return shapedUse(name, command);
}

function shapedUse(name: string, command: ShellCommand): ReadOnlyUse | null {
  const second = command.words[1] ?? '';
  if (command.words.length === 2 && isVersionQuery(name, second)) return NOTHING;
  for (const length of [3, 2]) {
    const report = command.words.slice(0, length).join(' ');
    const shape = Object.hasOwn(REPORTS, report) ? REPORTS[report] : undefined;
    if (shape) return fitShape(shape, command, length) === null ? null : NOTHING;
  }
  const plain = Object.hasOwn(PLAIN_READERS, name) ? PLAIN_READERS[name] : undefined;
  if (plain) return fitShape(plain, command, 1) === null ? null : NOTHING;
  const shape = Object.hasOwn(FILE_READERS, name) ? FILE_READERS[name] : undefined;
  return shape ? fileUse(name, shape, command) : null;
}

function fileUse(name: string, shape: CommandShape, command: ShellCommand): ReadOnlyUse | null {
  const operands = fitShape(shape, command, 1);
  if (operands === null) return null;
  if (shape.operands === 'text') return NOTHING;
  const hasPattern = shape.operands === 'pattern' && !givesPatternByOption(command);
  const paths = operands.slice(hasPattern ? 1 : 0).filter((use) => use !== null);
  const searches =
    name === 'rg' ||
    name === 'ag' ||
    (/^[ef]?grep$/.test(name) &&
      command.words.some((word) =>
        /^(-[a-zA-Z]*[rR]|--(dereference-)?recursive$)/.test(word ?? ''),
      ));
  return { paths, searches };
}

const givesPatternByOption = (command: ShellCommand): boolean =>
  command.words.some((word) => /^(-[a-zA-Z]*e|--regexp|--files$|--type-list$)/.test(word ?? ''));

function cdTarget(command: ShellCommand): PathUse[] | null {
  const [, ...words] = command.words;
  const targets = words.filter((word) => word !== '--' && word !== '-P' && word !== '-L');
  const [target] = targets;
  // Alone it goes home, `-` goes who knows where.
  const known = targets.length === 1 && typeof target === 'string' && !target.startsWith('-');
  return known ? [{ word: target, glob: false }] : null;
}

/**
 * Tells whether a test looks into variables (`-v`, `-R`), where an array index can run commands.
 */
const looksIntoVariables = (command: ShellCommand): boolean =>
  command.words.includes('-v') || command.words.includes('-R');

/**
 * Tells whether a test compares names as numbers: some shells evaluate x in `test x -gt 1`, and its
 * content, as arithmetic.
 */
const comparesNames = ({ words }: ShellCommand): boolean =>
  words.some((word) => /^-(eq|ne|lt|le|gt|ge)$/.test(word ?? '')) &&
  words.slice(1).some((word) => /^[a-zA-Z_]|[[$`]/.test(word ?? ''));

/** Tells whether `set` only changes how the line stops or traces, as in `set -euo pipefail`. */
const setsStrictness = (command: ShellCommand): boolean =>
  /^set( [-+][euxo]+( pipefail)?)+$/.test(command.words.join(' ')) && !command.words.includes(null);

function gitUse(command: ShellCommand): ReadOnlyUse | null {
  const stays: PathUse[] = [];
  let at = 1;
  for (; at < command.words.length; at++) {
    const folder = command.words[at + 1] ?? '';
    if (command.words[at] === '-C' && folder !== '') {
      stays.push({ word: folder, glob: false });
      at++;
    } else if (!GIT_GLOBAL_OPTIONS.has(command.words[at] ?? '')) break;
  }
  const use = gitSubcommand(command, at);
  return use && stays.length > 0 ? { ...use, stays } : use;
}

function gitSubcommand(command: ShellCommand, at: number): ReadOnlyUse | null {
  const first = command.words[at] ?? '';
  if (/^(-v|--version|version)$/.test(first) && command.words.length === at + 1) return NOTHING;
  const two = `${first} ${command.words[at + 1] ?? ''}`;
  const key = [two, first].find((candidate) => Object.hasOwn(GIT_READERS, candidate));
  const shape = key === undefined ? undefined : GIT_READERS[key];
  if (!shape) return null;
  const operands = fitShape(shape, command, at + (key === two ? 2 : 1));
  if (operands === null) return null;
  const ranges = command.words.flatMap((word, i) => rangePath(word, command.words[i + 1]));
  const paths = [...operands.flatMap((use) => (use ? revisionPaths(use) : [])), ...ranges];
  // What it prints of tracked files is looked at where that is read.
  if (key !== 'grep' || !command.words.includes('--untracked')) return { paths, searches: false };
  // Where it searches is not told apart from what for: it may be everything.
  return { paths: [{ word: '.', glob: false }, ...paths], searches: true };
}

/** Returns the path of a range of lines: `-L 1,5:path`, `-L:function:path`. */
function rangePath(word: string | null, next: string | null | undefined): PathUse[] {
  const [, attached] = /^-[^-SGOln]*L(.*)$/s.exec(word ?? '') ?? [];
  const path = attached === undefined ? undefined : /:([^:]+)$/.exec(attached || (next ?? ''))?.[1];
  return path === undefined ? [] : [{ word: path, glob: false }];
}

/** Returns the paths a revision names: `HEAD:path` is one of the repository, and so is `:0:path`. */
function revisionPaths(use: PathUse): PathUse[] {
  const inTree = /^(?::[0-3](?=:))?[^:]*:(.+)$/.exec(use.word)?.[1];
  return inTree === undefined ? [use] : [use, { word: inTree, glob: use.glob }];
}

const pathsOnly = (paths: readonly PathUse[] | null): ReadOnlyUse | null =>
  paths === null ? null : { paths, searches: false };
