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
}

/** The project has more paths than are covered. */
export class TooManyPaths extends Error {}

/** Remembers, between scans of one project, what rules said. */
export interface ScanMemory {
  rules: Map<string, { readonly signature: Signature; readonly rules: IgnoreRules }>;
  /** Paths that are left out. */
  ignored: Set<string>;
}

export const newScanMemory = (): ScanMemory => ({ rules: new Map(), ignored: new Set() });

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
  const seen = new Set<string>();
  const touched = new Map<string, Stats>();
  const work = walk({ root, table, memory, limits, seen, touched });
  let rulesChanged = false;
  for (;;) {
    const until = performance.now() + limits.sliceMs;
    let step = work.next();
    while (!step.done && performance.now() < until) step = work.next();
    if (step.done) {
      rulesChanged = step.value;
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { touched, ...missing(root, table, seen, touched), rulesChanged };
}

interface Walk {
  readonly root: string;
  readonly table: FileTable;
  readonly memory: ScanMemory;
  readonly limits: ScanLimits;
  readonly seen: Set<string>;
  readonly touched: Map<string, Stats>;
}

/** Goes through all folders, one a step; returns whether rules changed. */
function* walk(at: Walk): Generator<void, boolean> {
  const { root, table, memory, limits, seen, touched } = at;
  let rulesChanged = false;
  const device = statOf(root)?.dev;
  const folders: { path: string; rules: IgnoreRules | null }[] = [{ path: '', rules: null }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    yield;
    const entries = entriesOf(join(root, folder.path));
    // A repository in the project has rules of its own.
    const outer = folder.path !== '' && entries.some(isGit) ? null : folder.rules;
    const read = rulesOf(at, folder.path, entries, outer);
    rulesChanged ||= read.changed;
    const prefix = folder.path === '' ? '' : `${folder.path}/`;
    for (const entry of entries) {
      if (isGit(entry)) continue;
      const path = prefix + entry.name;
      const isFolder = entry.isDirectory();
      const known = table.get(path);
      if (read.rules !== null && (known === undefined || rulesChanged || known.named)) {
        if (memory.ignored.has(path)) continue;
        if (isIgnored(read.rules, path, isFolder)) {
          memory.ignored.add(path);
          continue;
        }
      }
      const now = statOf(`${root}/${path}`);
      // What is mounted in the project is no part of it, and may be endless.
      if (now === undefined || !isKept(now) || now.dev !== device) continue;
      seen.add(path);
      if (seen.size > limits.maxPaths) throw new TooManyPaths();
      if (known === undefined || !isSame(known, now)) touched.set(path, now);
      if (isFolder) folders.push({ path, rules: read.rules });
    }
  }
  return rulesChanged;
}

/** Git's own folder, or the file that names it. Its content is never covered: git looks after itself. */
const isGit = ({ name }: Dirent): boolean => name.toLowerCase() === '.git';

/** Regular files, links and folders; not pipes, sockets and devices. */
const isKept = (stats: Stats): boolean =>
  stats.isFile() || stats.isSymbolicLink() || stats.isDirectory();

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not to be read, or gone meanwhile.
    return [];
  }
}

/** Returns the rules that hold in a folder, and whether they are others than at the last scan. */
function rulesOf(
  { root, memory }: Walk,
  path: string,
  entries: readonly Dirent[],
  above: IgnoreRules | null,
): { readonly rules: IgnoreRules | null; readonly changed: boolean } {
  const before = memory.rules.get(path);
  const own = entries.some(({ name }) => name === '.gitignore')
    ? statOf(join(root, path, '.gitignore'))
    : undefined;
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
  const rules = readIgnore(root, path, above);
  memory.rules.set(path, { signature, rules });
  memory.ignored.clear();
  return { rules, changed: true };
}

/** Looks for what the table has and the scan did not see. */
function missing(
  root: string,
  table: FileTable,
  seen: ReadonlySet<string>,
  touched: Map<string, Stats>,
): Pick<ScanResult, 'gone' | 'uncovered'> {
  const gone = new Set<string>();
  const uncovered = new Set<string>();
  if (seen.size < table.size || touched.size > 0) {
    let renamed: ReadonlySet<string> | null = null;
    for (const [path, known] of table) {
      if (seen.has(path)) continue;
      const now = statOf(absolute(root, path));
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
  }
  return { gone, uncovered };
}

/** Returns what is at a place, links not followed; undefined when nothing is, or it cannot be known. */
export function statOf(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    // A file stands where a folder of its path was, or the folder is not to be read.
    return undefined;
  }
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
