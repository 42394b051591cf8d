import path from 'node:path';
import { relativeInside } from './paths';
import { matchesSegment } from './patterns';
import type { Hiding, Limits, TrackedFiles } from './request';
import { fileMatcher, mayCoverBelow, mayNameOneOf } from './rule-match';
import type { ParsedRule } from './rules';
import { ofAnyCommit } from './shell-analysis/index-changes';
import type { ShellContext } from './shell-paths';

/** The committed files that a command shows. */
export interface Printed {
  /** The tracked files among it, where it is known which are. */
  readonly tracked?: TrackedFiles;
  /** The folders that it is limited to beside files that the line names. Absent: it is not. */
  readonly folders?: readonly string[];
  /** Patterns of the names of all files that are shown. */
  readonly names?: readonly string[];
  /** Nothing else than the tracked files is shown. */
  readonly isCurrent?: boolean;
}

/** Returns what a command hides, as files of any commit where the line may have made others the tracked ones. */
export function asTracked({ request, context }: ShellContext, hiding: Hiding): Hiding {
  const { unlessTracked = [], withAdded, folder } = hiding;
  const { tracked } = request;
  if (withAdded && (folder !== undefined || tracked?.added === undefined))
    return ofAnyCommit(hiding);
  if (unlessTracked.length === 0) return hiding;
  const isSame =
    tracked !== undefined &&
    !tracked.isMoved &&
    unlessTracked.every((word) => {
      const name = relativeInside(tracked.root, path.resolve(context.cwd, word), false);
      return name !== null && isTracked(name, tracked) && !tracked.revisions?.includes(word);
    });
  return isSame ? hiding : ofAnyCommit(hiding);
}

/** Returns what a command shows of what is committed, or may show. */
export function printedBy(
  { request, context }: ShellContext,
  { what, limits, folder, withAdded }: Hiding,
): Printed {
  const own = trackedFrom(request.tracked, folder);
  const added = withAdded ? (own?.added ?? []) : [];
  const tracked = own && added.length > 0 ? { ...own, names: [...own.names, ...added] } : own;
  if (tracked === undefined) return limits && namesFiles(limits) ? NAMED : {};
  if (tracked.isMoved) return limits && namesFiles(limits) ? NAMED : { tracked };
  // An index that tells of no file may be one that was not found.
  const isNow = what === 'printsTracked' && tracked.names.length > 0;
  const paths = limits ? pathsIn(limits, tracked, context.cwd, folder ?? '') : null;
  if (limits === undefined || paths === null) return { tracked, isCurrent: isNow };
  const hasRevision = paths.length < limits.words.length && !limits.arePaths;
  const isCurrent = isNow || (limits.isCurrent === true && !hasRevision);
  if (paths.includes('')) return { tracked, isCurrent };
  const open = paths.filter((name) => !isFile(name, tracked));
  const folders = open.map((name) =>
    path.join(tracked.root, name.replace(/(?:^|\/)[^/]*[*?[\\].*$/, '')),
  );
  const names = [
    ...tracked.names.filter((name) => paths.some((one) => isBelow(one, name))),
    ...paths.filter((name) => !tracked.names.includes(name) && !open.includes(name)),
  ];
  // A `*` of git stands for slashes, too, and a pattern for the whole of a path.
  const ends = open.map((one) => `*${/[^*/]*$/.exec(one)?.[0]}`);
  const named = open.every((one) => /^[^?[\\]*\*[^?[\\]*$/.test(one)) ? { names: ends } : {};
  return { tracked: { ...tracked, names }, folders, ...named, isCurrent };
}

/** Returns what the repository tracks that git is told to go to; undefined where it cannot be told. */
function trackedFrom(
  tracked: TrackedFiles | undefined,
  folder: string | null | undefined,
): TrackedFiles | undefined {
  if (folder === null) return undefined;
  const { others = {} } = tracked ?? {};
  if (folder === undefined || !Object.hasOwn(others, folder)) return tracked;
  return others[folder] ?? undefined;
}

/** Files that the line names itself. */
const NAMED: Printed = { tracked: { root: '/', names: [] }, folders: [] };

/** Tells whether a rule may cover a committed file that is shown, of whatever revision. */
export const mayCoverPrinted = (
  shell: ShellContext,
  rule: ParsedRule,
  printed: Printed,
): boolean => {
  const { folders, isCurrent } = printed;
  const { project, cwd } = shell.context;
  if (rule.tool !== 'Read') return false;
  if (isCurrent) return coversPrinted(shell, rule, printed);
  if (folders === undefined)
    return [project, cwd].some((folder) => mayCoverBelow(rule, folder, shell.context));
  // What a rule names may have been committed once. What it names only for being a denial counts where it is tracked now.
  const isTold = shell.request.tracked?.names.length !== 0;
  return (
    coversPrinted(shell, rule, printed) ||
    (mayNameOneOf(rule, printed.names, shell.context) &&
      folders.some((folder) => mayCoverBelow(rule, folder, shell.context, isTold)))
  );
};

/** More tracked files are not compared with a rule that may mean any name. */
export const MAX_COMPARED = 20_000;

/** Tells whether a rule covers a tracked file that is shown, where it is known which are tracked. */
export function coversPrinted(
  { context }: ShellContext,
  rule: ParsedRule,
  { tracked }: Printed,
): boolean {
  if (rule.tool !== 'Read' || tracked === undefined) return false;
  const { root, names } = tracked;
  const last =
    rule.specifier
      ?.replace(/\/(?:\*\*)?$/, '')
      .split('/')
      .at(-1) ?? '';
  const literal = /[*?[\\]/.test(last) || context.caseInsensitive ? '' : last;
  const candidates = literal === '' ? names : names.filter((name) => name.includes(literal));
  const covers = fileMatcher(rule, context);
  return (
    candidates.length > MAX_COMPARED || candidates.some((name) => covers(`${root}/${name}`, false))
  );
}

/** Returns the paths that limit what is shown, from the folder of the repository; null where none does for sure. */
function pathsIn(
  { words, arePaths }: Limits,
  tracked: TrackedFiles,
  cwd: string,
  folder: string,
): readonly string[] | null {
  const nameOf = (word: string): string | null =>
    word.startsWith(':')
      ? null
      : relativeInside(tracked.root, path.resolve(cwd, folder, word), false);
  // Git takes no word for a path that is a revision, too.
  const isPath = (word: string, name: string | null): boolean =>
    name !== null &&
    (isTracked(name, tracked) ||
      (isPattern(name) && !/[\^@{]/.test(word)) ||
      (isHardlyRevision(word) && folder === '' && tracked.revisions?.includes(word) !== true));
  const all = words
    .filter((word) => !EXCLUDES.test(word))
    .map((word) => ({ word, name: nameOf(word) }));
  const from = arePaths ? 0 : all.findIndex(({ word, name }) => isPath(word, name));
  const paths = from < 0 ? [] : all.slice(from).flatMap(({ name }) => name ?? []);
  return paths.length === 0 || paths.length < all.length - from ? null : paths;
}

/** The sign of a path that leaves files out. */
const EXCLUDES = /^:(?:[!^]|\(exclude\))/;

/** Tells whether a path is a file: a tracked one, or by its ending one that no longer is. */
const isFile = (name: string, tracked: TrackedFiles): boolean =>
  !isPattern(name) &&
  (tracked.names.includes(name) || (hasEnding(name) && !isFolder(name, tracked)));

const isPattern = (name: string): boolean => /[*?[\\]/.test(name);

const isTracked = (name: string, tracked: TrackedFiles): boolean =>
  tracked.names.includes(name) || isFolder(name, tracked);

const isFolder = (name: string, { names }: TrackedFiles): boolean =>
  name === '' || names.some((one) => one.startsWith(`${name}/`));

/** Tells whether a path or pattern of git means a file: itself, a folder above it or all its path. */
function isBelow(one: string, name: string): boolean {
  if (!isPattern(one)) return one === '' || name === one || name.startsWith(`${one}/`);
  const segments = name.split('/');
  return segments.some((_, at) => matchesSegment(one, segments.slice(0, at + 1).join('/')));
}

/** Tells whether words limit what is shown to files, as far as their endings tell. */
const namesFiles = ({ words, arePaths }: Limits): boolean =>
  arePaths
    ? words.every((word) => hasEnding(word) && !/^(?:[:/]|\w:)|[*?[\\]|(?:^|\/)\.\.\//.test(word))
    : words.some(isHardlyRevision);

/** Tells whether a path has an ending. One without may be a folder. */
const hasEnding = (word: string): boolean => /[^./]\.\w+$/.test(word);

/** Tells whether a name is hardly a revision: it has an ending, and is not like the versions that branches and tags are named after. */
const isHardlyRevision = (word: string): boolean =>
  /(?<!\.)\.[A-Za-z]\w{0,5}$/.test(word) && !/\.\.|:|(?:^|[/_-])v?\d[\d.]*\.\w+$/i.test(word);
