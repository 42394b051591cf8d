import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileState } from '../engine/ports-checkpoints';
import { type IgnoreRules, isIgnored, readIgnore } from './ignore-rules';

/** The marks of a file by which a change is noticed without reading it. */
export interface Signature {
  readonly size: number;
  /** Type and permission bits. */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** A path as it was last seen. */
export interface Known {
  readonly state: FileState;
  readonly signature: Signature;
  /** It may have changed in the same tick of the clock in which it was read: its signature says nothing yet. */
  readonly fresh?: true;
  /** It is not covered by itself: a call named it, or it lies outside the project. */
  readonly named?: true;
  /** The number of the scan that met it last; not kept beyond this process. */
  seenIn?: number;
}

/** The paths as they were last seen. Those of the project are relative to it, with `/`. */
export type FileTable = Map<string, Known>;

/** The difference of a scan from a table. */
export interface ScanResult {
  /** Paths that are new or whose signature is another, with what they are now. */
  readonly touched: Map<string, Stats>;
  /** Paths that are gone. */
  readonly gone: Set<string>;
  /** Paths that are there and no longer covered, for example because rules leave them out now. */
  readonly uncovered: Set<string>;
  /** A `.gitignore` was changed, so that a new path need not be a new file. */
  readonly rulesChanged: boolean;
}

export interface ScanLimits {
  /** The most paths that are covered. */
  readonly maxPaths: number;
  /** The longest time without letting others have their turn. Milliseconds. */
  readonly sliceMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The project has more paths than are covered. */
export class TooManyPaths extends Error {}

/** Remembers, between scans of one project, what folders list and what rules said. */
export interface ScanMemory {
  /** Rules mean names of any case. */
  readonly ignoreCase: boolean;
  readonly rules: Map<string, { readonly signature: Signature; readonly rules: IgnoreRules }>;
  /** Paths that are left out. */
  readonly ignored: Set<string>;
  /** Folders whose own times tell whether they still list the same. */
  readonly listings: Map<string, Listing>;
  /** The number of the newest scan. */
  scans: number;
}

/** The covered entries of a folder, and the marks that it had before they were read. */
interface Listing {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** It is the root of a repository, which has rules of its own. */
  readonly isRepository: boolean;
  readonly hasIgnore: boolean;
  /** The rules that held in it. */
  readonly rules: IgnoreRules | null;
  readonly paths: readonly string[];
}

export const newScanMemory = (ignoreCase: boolean): ScanMemory => ({
  ignoreCase,
  rules: new Map(),
  ignored: new Set(),
  listings: new Map(),
  scans: 0,
});

/** The coarsest clock of a usual disk. Milliseconds. */
export const TICK_MS = 50;
/** The coarsest clock of any disk: some keep whole seconds, or every second one. Milliseconds. */
const WHOLE_SECONDS_MS = 2_500;

/** Tells whether something changed so recently that it may change again without another time. `now`: epoch milliseconds. */
export function isFresh({ mtimeMs, ctimeMs }: Stats, now: number): boolean {
  const isWhole = mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0;
  return Math.max(mtimeMs, ctimeMs) > now - (isWhole ? WHOLE_SECONDS_MS : TICK_MS);
}

export const signatureOf = ({ size, mode, mtimeMs, ctimeMs, ino }: Stats): Signature => ({
  size,
  mode,
  mtimeMs,
  ctimeMs,
  ino,
});

/** Returns whether what is there now is what was seen. Times of folders say nothing: their entries are seen themselves. */
export function isSame(known: Known, now: Stats): boolean {
  const { signature: was, fresh } = known;
  if (now.mode !== was.mode) return false;
  if (now.isDirectory()) return true;
  return (
    fresh !== true &&
    now.size === was.size &&
    now.mtimeMs === was.mtimeMs &&
    now.ctimeMs === was.ctimeMs &&
    now.ino === was.ino
  );
}

/** Compares a project with a table, in slices, so that nothing else waits long. Throws {@link TooManyPaths}. */
export async function scanProject(
  root: string,
  table: FileTable,
  memory: ScanMemory,
  limits: ScanLimits,
): Promise<ScanResult> {
  memory.scans += 1;
  const touched = new Map<string, Stats>();
  const work = walk({ root, table, memory, limits, touched });
  for (;;) {
    const until = performance.now() + limits.sliceMs;
    let step = work.next();
    while (!step.done && performance.now() < until) step = work.next();
    if (step.done) {
      const { rulesChanged, met } = step.value;
      const rest =
        met < table.size || touched.size > 0
          ? missing(root, table, memory.scans, touched)
          : { gone: new Set<string>(), uncovered: new Set<string>() };
      for (const path of [...rest.gone, ...rest.uncovered]) memory.listings.delete(path);
      return { touched, ...rest, rulesChanged };
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Walk {
  readonly root: string;
  readonly table: FileTable;
  readonly memory: ScanMemory;
  readonly limits: ScanLimits;
  readonly touched: Map<string, Stats>;
}

interface WalkEnd {
  readonly rulesChanged: boolean;
  /** Paths of the table that were met. */
  readonly met: number;
}

/** Entries between two looks at the clock. */
const STEP = 256;

/** Goes through all folders in small steps, and marks each path of the table that it meets with the number of the scan. */
function* walk(at: Walk): Generator<void, WalkEnd> {
  const { root, table, memory, limits, touched } = at;
  let rulesChanged = false;
  let seen = 0;
  let met = 0;
  const own = statOf(root);
  const folders = own === undefined ? [] : [{ path: '', rules: null as IgnoreRules | null, own }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    yield;
    const listed = listingOf(at, folder.path, folder.own, folder.rules, rulesChanged);
    rulesChanged ||= listed.rulesChanged;
    const { paths, rules } = listed.listing;
    for (const path of paths) {
      const now = statOf(`${root}/${path}`);
      // What is mounted in the project is no part of it, and may be endless.
      if (now === undefined || !isKept(now) || now.dev !== own?.dev) continue;
      seen += 1;
      if (seen > limits.maxPaths) throw new TooManyPaths();
      if (seen % STEP === 0) yield;
      const known = table.get(path);
      if (known === undefined) touched.set(path, now);
      else {
        known.seenIn = memory.scans;
        met += 1;
        if (!isSame(known, now)) touched.set(path, now);
      }
      if (now.isDirectory()) folders.push({ path, rules, own: now });
    }
  }
  return { rulesChanged, met };
}

/**
 * Returns what a folder lists. It is read only when its times say that an entry came or went, or when other rules hold:
 * a change inside a file shows in the file itself.
 */
function listingOf(
  at: Walk,
  path: string,
  own: Stats,
  above: IgnoreRules | null,
  rulesChangedBefore: boolean,
): { readonly listing: Listing; readonly rulesChanged: boolean } {
  const { root, table, memory } = at;
  const last = memory.listings.get(path);
  let otherRules = rulesChangedBefore;
  if (last?.mtimeMs === own.mtimeMs && last.ctimeMs === own.ctimeMs && last.ino === own.ino) {
    const read = rulesOf(at, path, last.hasIgnore, last.isRepository ? null : above);
    if (read.rules === last.rules) return { listing: last, rulesChanged: false };
    otherRules ||= read.changed;
  }
  const listedAt = at.limits.now();
  const all = entriesOf(join(root, path));
  const entries = all ?? [];
  const isRepository = path !== '' && entries.some(isGit);
  const hasIgnore = entries.some(({ name }) => name === '.gitignore');
  const read = rulesOf(at, path, hasIgnore, isRepository ? null : above);
  const rulesChanged = otherRules || read.changed;
  const prefix = path === '' ? '' : `${path}/`;
  const paths: string[] = [];
  for (const entry of entries) {
    if (isGit(entry)) continue;
    const inner = prefix + entry.name;
    const known = table.get(inner);
    if (read.rules !== null && (known === undefined || rulesChanged || known.named)) {
      if (memory.ignored.has(inner)) continue;
      if (isIgnored(read.rules, inner, entry.isDirectory())) {
        memory.ignored.add(inner);
        continue;
      }
    }
    paths.push(inner);
  }
  const { mtimeMs, ctimeMs, ino } = own;
  const { rules } = read;
  const listing: Listing = { mtimeMs, ctimeMs, ino, isRepository, hasIgnore, rules, paths };
  // Windows may be late with the times of folders.
  const isTold = all !== null && process.platform !== 'win32' && !isFresh(own, listedAt);
  if (isTold) memory.listings.set(path, listing);
  else memory.listings.delete(path);
  return { listing, rulesChanged };
}

/** Git's own folder, or the file that names it. Its content is never covered: git looks after itself. */
const isGit = ({ name }: Dirent): boolean => name.toLowerCase() === '.git';

/** Regular files, links and folders; not pipes, sockets and devices. */
const isKept = (stats: Stats): boolean =>
  stats.isFile() || stats.isSymbolicLink() || stats.isDirectory();

/** Returns the entries of a folder; null when it cannot be read, or is gone meanwhile. */
function entriesOf(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

/** Returns the rules that hold in a folder, and whether they are others than at the last scan. */
function rulesOf(
  { root, memory }: Walk,
  path: string,
  hasIgnore: boolean,
  above: IgnoreRules | null,
): { readonly rules: IgnoreRules | null; readonly changed: boolean } {
  const before = memory.rules.get(path);
  const own = hasIgnore ? statOf(join(root, path, '.gitignore')) : undefined;
  if (!own?.isFile()) {
    if (before === undefined) return { rules: above, changed: false };
    memory.rules.delete(path);
    memory.ignored.clear();
    return { rules: above, changed: true };
  }
  const signature = signatureOf(own);
  const same =
    before !== undefined &&
    before.rules.above === above &&
    before.signature.mtimeMs === signature.mtimeMs &&
    before.signature.ctimeMs === signature.ctimeMs &&
    before.signature.size === signature.size &&
    before.signature.ino === signature.ino;
  if (same) return { rules: before.rules, changed: false };
  const rules = readIgnore(root, path, above, memory.ignoreCase);
  memory.rules.set(path, { signature, rules });
  memory.ignored.clear();
  return { rules, changed: true };
}

/** Looks for what the table has and the scan of this number did not meet. */
function missing(
  root: string,
  table: FileTable,
  scan: number,
  touched: Map<string, Stats>,
): Pick<ScanResult, 'gone' | 'uncovered'> {
  const gone = new Set<string>();
  const uncovered = new Set<string>();
  let renamed: ReadonlySet<string> | null = null;
  const statAt = statIn(root);
  for (const [path, known] of table) {
    if (known.seenIn === scan) continue;
    const now = statAt(path);
    if (now === undefined || !isKept(now)) gone.add(path);
    else if (known.named) {
      if (!isSame(known, now)) touched.set(path, now);
    } else {
      // Where names differ by case alone, the new name answers for the old one.
      renamed ??= new Set([...touched.keys()].map((one) => one.toLowerCase()));
      if (renamed.has(path.toLowerCase())) gone.add(path);
      else uncovered.add(path);
    }
  }
  return { gone, uncovered };
}

/** Returns what is at a place, links not followed; undefined when nothing is, or it cannot be known. */
function statOf(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    // A file stands where a folder of its path was, or the folder is not to be read.
    return undefined;
  }
}

/**
 * Returns a function that tells what is at a path of a table, as {@link statOf} does. Behind a link on the way is
 * nothing of the project: what is there has a path of its own. It remembers folders, so it is good for one look.
 */
export function statIn(root: string): (path: string) => Stats | undefined {
  const folders = new Map([['.', true]]);
  const isFolder = (path: string): boolean => {
    const known =
      folders.get(path) ??
      (isFolder(dirname(path)) && statOf(`${root}/${path}`)?.isDirectory() === true);
    folders.set(path, known);
    return known;
  };
  return (path) => {
    const place = absolute(root, path);
    return place === path || isFolder(dirname(path)) ? statOf(place) : undefined;
  };
}

/** Returns where a path of a table is. */
export const absolute = (root: string, path: string): string =>
  path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) ? path : `${root}/${path}`;

/** Returns the state that a path has by its stat; the content of a file is still to be told. */
export function stateOf(place: string, now: Stats, blob: string | null): FileState {
  const mode = now.mode & 0o7777;
  if (now.isDirectory()) return { kind: 'folder', mode };
  if (now.isSymbolicLink()) return { kind: 'link', target: readlinkSync(place) };
  return { kind: 'file', mode, size: now.size, blob };
}

/** Returns how a table names a path. */
export const keyOf = (root: string, path: string): string =>
  path.startsWith(`${root}/`) || path.startsWith(`${root}\\`)
    ? path.slice(root.length + 1).replaceAll('\\', '/')
    : path;

/** Adds the folders in which paths of the project lie. */
export function withParents(paths: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of paths) {
    all.add(path);
    if (absolute('', path) === path) continue;
    for (let up = dirname(path); up !== '.' && up !== '/'; up = dirname(up)) all.add(up);
  }
  return all;
}

/** Tells whether a folder lists a path under this very name. */
export function hasName(place: string): boolean {
  try {
    return readdirSync(dirname(place)).includes(basename(place));
  } catch {
    return false;
  }
}
