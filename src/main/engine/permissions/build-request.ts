import path from 'node:path';
import type { DirectoryEntry, Files } from '../ports';
import { trackedFiles } from './git-programs';
import { absolutePath, climbs } from './paths';
import { matchesSegment } from './patterns';
import type { FolderScan, PermissionRequest, Touch, Touches } from './request';
import type { Whereabouts } from './rule-match';
import type { ShellParser } from './shell-analysis/parser';
import { lookupKey, touchesIn } from './shell-paths';

/** More paths in one line are not looked up, and what is not looked up is asked. */
const MAX_LOOKUPS = 400;
/** A glob that means more files than this counts as not looked up. */
const MAX_GLOB_FILES = 2_000;

/** The names of the files that a glob means are told up to this number. */
const MAX_GLOB_NAMES = 200;

/** A path as asked for (absolute), and where it leads: the part of a file's request that is looked up. */
export type Lead = Pick<
  Extract<PermissionRequest, { kind: 'file' }>,
  'path' | 'realPath' | 'identity' | 'otherNames' | 'unknown'
>;

/**
 * Returns the permission that using a file needs. `asked` is absolute, relative to `where.cwd`, or
 * begins with `~`.
 */
export async function fileRequest(
  tool: string,
  access: 'read' | 'edit',
  asked: string,
  where: Whereabouts,
  files: Files,
): Promise<PermissionRequest> {
  const target = absolutePath(asked, where.cwd, where.home);
  return { kind: 'file', tool, access, ...(await leadingTo(target, files, where.cwd)) };
}

/**
 * Resolves an absolute path: where it leads and what is there, or why that is unknown. Hard links
 * are searched below `near`.
 */
export async function leadingTo(path: string, files: Files, near: string): Promise<Lead> {
  const place = await files.locate(path);
  if (!place.ok) return { path, realPath: path, identity: null, unknown: place.error.message };
  const { realPath, identity, special, shared } = place.value;
  const lead = { path, realPath, identity };
  if (special) return { ...lead, unknown: 'it is a pipe, a socket or a device' };
  if (!shared || identity === null) return lead;
  const otherNames = await hardLinksOf(realPath, identity, near, files);
  return otherNames.length > 0 ? { ...lead, otherNames } : lead;
}

/**
 * Returns the permission that running a shell line needs: parsed, and every path in it looked up.
 */
export async function shellRequest(
  tool: string,
  command: string,
  where: Whereabouts,
  parser: ShellParser,
  files: Files,
): Promise<PermissionRequest> {
  const analysis = await parser.analyze(command);
  const touches = touchesIn(analysis, where);
  const realPaths = await lookUpPaths(touches, where, files);
  const tracked = await trackedFiles(analysis, where.cwd, files);
  const { cwd } = where;
  return {
    kind: 'shell',
    tool,
    command,
    cwd,
    analysis,
    touches,
    realPaths,
    ...(tracked ? { tracked } : {}),
  };
}

/**
 * Returns where the paths named in a line really lead, as `PermissionRequest.realPaths` wants it.
 */
async function lookUpPaths(
  reached: readonly Touches[],
  where: Whereabouts,
  files: Files,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const wanted = new Map<string, Touch>();
  const all = reached.flatMap(({ touches }) => touches);
  // What is surely a path comes first, and its lookup counts for words that only may be the same one. That of a pattern
  // finds what is called like the pattern, too.
  for (const certain of [true, false])
    for (const touch of all) {
      if (touch.certain !== certain) continue;
      const key = lookupKey(touch);
      const known = wanted.get(key);
      if (known ? touch.glob && !known.glob : wanted.size < MAX_LOOKUPS) wanted.set(key, touch);
    }
  const found = await Promise.all(
    [...wanted].map(async ([key, touch]) => {
      const real = await endsOf(touch, where.cwd, files);
      return real === null ? [] : [[key, real] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

async function endsOf(
  { path: text, route: target = text, glob, below, certain }: Touch,
  near: string,
  files: Files,
) {
  // Most words that only may be paths name nothing, and nothing can be read of that.
  if (!certain && !glob && !(await files.stat(target)).ok) return null;
  if (below) return scanLinks(target, below, files);
  return glob ? globLeadsTo(target, near, files) : leadsTo(target, near, files);
}

/** Returns where a path leads, and hard links to the file it is. */
async function leadsTo(
  target: string,
  near: string,
  files: Files,
): Promise<readonly string[] | null> {
  const place = await files.locate(target);
  if (!place.ok) return null;
  const { realPath, identity, shared } = place.value;
  if (!shared || identity === null) return [realPath];
  return [realPath, ...(await hardLinksOf(realPath, identity, near, files))];
}

/**
 * Returns where a glob may lead: the folder before its first wildcard, every link it matches, the files themselves when
 * they are few, and other names of them. Null when it means too many files.
 */
async function globLeadsTo(
  pattern: string,
  near: string,
  files: Files,
): Promise<readonly string[] | null> {
  const segments = pattern.split('/').filter((segment) => segment !== '');
  const first = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  const base = `/${segments.slice(0, first).join('/')}`;
  const real = await files.realPath(base);
  if (!real.ok) return null;
  const budget: GlobBudget = { left: MAX_GLOB_FILES, files: [] };
  const start = { folder: base, climbed: climbs(base) };
  const links = await matchedLinks(start, segments.slice(first), files, budget, true);
  if (links === null) return null;
  const names = await Promise.all(budget.files.map((file) => otherNamesOf(file, near, files)));
  const matched = budget.files.length > MAX_GLOB_NAMES ? [] : budget.files;
  return [real.value, ...links, ...names.flat(), ...matched];
}

/** Files that a glob may still match, and those it matched that are no links. */
interface GlobBudget {
  left: number;
  readonly files: string[];
}

/** Returns the hard links to a file; none for one that has a single name. */
async function otherNamesOf(file: string, near: string, files: Files): Promise<readonly string[]> {
  const place = await files.locate(file);
  if (!place.ok || !place.value.shared || place.value.identity === null) return [];
  return hardLinksOf(place.value.realPath, place.value.identity, near, files);
}

/** A folder on the way through a glob. Behind a `..` it is not known to lie below where the glob began. */
interface GlobStep {
  readonly folder: string;
  readonly climbed: boolean;
}

async function matchedLinks(
  { folder, climbed }: GlobStep,
  segments: readonly string[],
  files: Files,
  budget: GlobBudget,
  isFirst = false,
): Promise<string[] | null> {
  const [segment, ...rest] = segments;
  if (segment === undefined) return climbed ? realEnd(folder, files) : [];
  if (segment === '.' || segment === '..')
    return matchedLinks({ folder: `${folder}/${segment}`, climbed: true }, rest, files, budget);
  const listed = await files.list(folder);
  // A folder that is not there matches nothing.
  if (!listed.ok) return listed.error.code === 'denied' ? null : [];
  const matched = listed.value.filter((entry) => shellMatches(segment, entry));
  // A file that is named like an option may be taken for one.
  if (isFirst && matched.some((entry) => entry.name.startsWith('-'))) return null;
  budget.left -= matched.length;
  if (budget.left < 0) return null;
  // Some shells take `.*` for the folder above too.
  const above = segment.startsWith('.') && matchesSegment(segment, '..');
  const found = above
    ? await matchedLinks({ folder: `${folder}/..`, climbed: true }, rest, files, budget)
    : [];
  if (found === null) return null;
  for (const entry of matched) {
    const at = { folder: `${folder}/${entry.name}`, climbed };
    if (entry.kind === 'link' || (climbed && rest.length === 0)) {
      const real = await realEnd(at.folder, files);
      if (real === null) return null;
      found.push(...real);
    }
    if (rest.length === 0 && entry.kind === 'file') budget.files.push(at.folder);
    if (rest.length === 0 || entry.kind === 'file') continue;
    const below = await matchedLinks(at, rest, files, budget);
    if (below === null) return null;
    found.push(...below);
  }
  return found;
}

/** Returns where a path leads; nothing for links in a circle, null where it is not known. */
async function realEnd(target: string, files: Files): Promise<string[] | null> {
  const real = await files.realPath(target);
  if (real.ok) return [real.value];
  return real.error.code === 'loop' ? [] : null;
}

/**
 * Tells whether the shell's glob matches an entry: `**` without globstar is `*`, hidden names need
 * their dot written.
 */
function shellMatches(segment: string, entry: DirectoryEntry): boolean {
  if (entry.name.startsWith('.') && !/^(\\?\.|\[)/.test(segment)) return false;
  return matchesSegment(segment, entry.name);
}

/** More than this is not looked through, and what is not looked through is asked. Entries of folders. */
const MAX_ENTRIES = 60_000;
/** Folders read at the same time. */
const MAX_TOGETHER = 16;

/**
 * Returns where the links below a folder lead, as far as they count. Null when it is too much to
 * look through, cannot be looked through, or has a name that is not plain where names have to be.
 */
export async function scanLinks(
  folder: string,
  below: FolderScan,
  files: Files,
): Promise<readonly string[] | null> {
  const found: string[] = [];
  const seen = new Set([folder]);
  const waiting = [folder];
  let left = MAX_ENTRIES;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MAX_TOGETHER);
    const looks = await Promise.all(batch.map((one) => look(one, below, files)));
    for (const one of looks) {
      if (one === null) return null;
      left -= one.entries;
      found.push(...one.links);
      for (const next of one.folders) if (!seen.has(next)) waiting.push(next);
      for (const next of one.folders) seen.add(next);
    }
    if (left < 0) return null;
  }
  return [...new Set(found)];
}

interface Look {
  readonly entries: number;
  readonly folders: readonly string[];
  readonly links: readonly string[];
}

/** Lists one folder and, where links are followed, what they lead to. */
async function look(folder: string, below: FolderScan, files: Files): Promise<Look | null> {
  const listed = await files.list(folder);
  if (!listed.ok)
    return listed.error.code === 'denied' ? null : { entries: 0, folders: [], links: [] };
  const entries = listed.value;
  if (below.plain && entries.some((entry) => counts(entry, below) && !isPlain(entry.name)))
    return null;
  const folders = entries
    .filter(({ kind }) => kind === 'directory')
    .map(({ name }) => path.join(folder, name));
  const links: string[] = [];
  for (const entry of below.links ? entries : []) {
    if (entry.kind !== 'link' || !(below.follows || counts(entry, below))) continue;
    const real = await files.realPath(path.join(folder, entry.name));
    if (!real.ok && real.error.code !== 'loop') return null;
    if (real.ok) links.push(real.value);
  }
  return {
    entries: entries.length,
    folders: below.follows ? [...folders, ...links] : folders,
    links,
  };
}

/** Names of folders are part of the names in them. */
const counts = ({ kind, name }: DirectoryEntry, { names }: FolderScan): boolean =>
  names === undefined ||
  kind === 'directory' ||
  names.some((pattern) => matchesSegment(pattern.toLowerCase(), name.toLowerCase()));

const isPlain = (name: string): boolean => !/^-|[\s"'\\\p{Cc}]/u.test(name);

/** Files looked at before the search ends: a second name is a rarity, and most are in folders that are left out. */
const MAX_FILES = 4_000;
/** Folders in which package managers and builds keep one file under many names. */
const LEFT_OUT =
  /^(node_modules|\.pnpm|\.yarn|\.?venv|site-packages|target|bazel-.*|\.git|\.nx|\.turbo)$/;

/**
 * Finds hard links to a file in a folder and what is below it, as far as they are found. A rule for
 * one name has to hold for the file, whatever it is called.
 */
async function hardLinksOf(
  realPath: string,
  identity: string,
  folder: string,
  files: Files,
): Promise<readonly string[]> {
  if (realPath.split('/').some((segment) => LEFT_OUT.test(segment))) return [];
  const found: string[] = [];
  const waiting = [folder];
  let left = MAX_FILES;
  for (let next = waiting.shift(); next !== undefined && left > 0; next = waiting.shift()) {
    const listed = await files.list(next);
    for (const { name, kind } of listed.ok ? listed.value : []) {
      const at = path.join(next, name);
      if (kind === 'directory' && !LEFT_OUT.test(name)) waiting.push(at);
      if (kind !== 'file' || at === realPath || left-- <= 0) continue;
      const place = await files.locate(at);
      if (place.ok && place.value.identity === identity) found.push(at);
    }
  }
  return found;
}
