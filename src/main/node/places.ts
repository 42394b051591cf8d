import { type BigIntStats, constants, fstatSync, readlinkSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Place } from '../engine/ports';
import { errorCode } from './file-fault';
import { replaceIn } from './write-file';

/** As many links as Linux follows before it calls them a circle (path_resolution(7)). */
const MAX_LINKS = 40;

/** No system takes a longer path (PATH_MAX of Linux). */
const MAX_PATH_BYTES = 4096;

/** Codes that say that nothing is there, and nothing can be: no such name, below a file, too long a name. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/**
 * Opens for reading without ever waiting: a named pipe without a writer would otherwise block for good.
 * The flag is absent on Windows, where files never block.
 */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Node has no openat. On Linux `/proc/self/fd/<folder>/<name>` is the same: it starts at the folder that is open,
 * whatever its path leads to by now. macOS refuses links anywhere in a path by a flag of open(2) instead
 * (O_NOFOLLOW_ANY, 0x20000000, since macOS 11). Elsewhere the path is looked at again after opening.
 */
const BY_HANDLE = process.platform === 'linux';

/** Flags of open(2) that refuse a link at the end of a path. */
export const NO_LINKS =
  (constants.O_NOFOLLOW ?? 0) | (process.platform === 'darwin' ? 0x20000000 : 0);

/** Opens a folder only as a place to start from, which needs no right to list it (O_PATH of open(2), Linux). */
const FOLDER_FLAGS =
  (constants.O_DIRECTORY ?? 0) | NO_LINKS | (BY_HANDLE ? 0x200000 : constants.O_RDONLY);

/** Thrown when a place is not, or no longer, what was decided on. */
export class PlaceMoved extends Error {}

const isNothing = (thrown: unknown): boolean => NOTHING_THERE.has(errorCode(thrown) ?? '');

/**
 * Resolves an absolute path to where it really leads. Parts that do not exist are appended to the deepest real parent;
 * a dangling link resolves to where it points. Throws what the system throws for anything else.
 */
export const resolveRealPath = async (path: string): Promise<string> =>
  (await resolvePath(path, MAX_LINKS)).path;

interface Resolved {
  readonly path: string;
  readonly exists: boolean;
}

async function resolvePath(path: string, linksLeft: number): Promise<Resolved> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw systemError('ENAMETOOLONG');
  const real = await realPathOf(path);
  if (real !== null) return { path: real, exists: true };
  const { folder, missing } = await deepestFolder(path);
  const [name = '', ...below] = missing;
  const first = await resolveLink(folder, name, linksLeft);
  const up = below.indexOf('..');
  if (up < 0) return { path: join(first, ...below), exists: false };
  // Once what is missing is there, the system goes up from it, and what lies there may be a link again.
  const above = join(first, ...below.slice(0, up + 1));
  return resolvePath([above, ...below.slice(up + 1)].join('/'), linksLeft);
}

/** Returns where a dangling link leads, or the path itself when nothing is there. */
async function resolveLink(folder: string, name: string, linksLeft: number): Promise<string> {
  const path = join(folder, name);
  const target = await linkTarget(path);
  if (target === null) return path;
  if (linksLeft === 0) throw systemError('ELOOP');
  // Not joined as text: what the link says may go up behind another link.
  const next = isAbsolute(target) ? target : `${folder}/${target}`;
  return (await resolvePath(next, linksLeft - 1)).path;
}

/** Finds the deepest folder of a path that exists, and the names below it. Halves the path: a long one takes few looks. */
async function deepestFolder(path: string): Promise<{ folder: string; missing: string[] }> {
  const above: string[] = [path];
  for (let at = path; dirname(at) !== at; at = dirname(at)) above.push(dirname(at));
  let there = above.length - 1;
  let folder = await realpath(above[there] ?? path);
  // Nearly always the folder right above is there.
  for (let lost = 0, look = 1; lost < there - 1; look = (lost + there) >> 1) {
    const real = await realPathOf(above[look] ?? path);
    if (real === null) lost = look;
    else {
      there = look;
      folder = real;
    }
  }
  const missing = above.slice(0, there).map((one) => basename(one));
  return { folder, missing: missing.reverse() };
}

/** Returns where a path leads; null when nothing is there. */
async function realPathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (isNothing(thrown)) return null;
    throw thrown;
  }
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

/** Returns the target of a link, or null when there is no link (or nothing) at the path. */
async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (thrown) {
    if (isNothing(thrown)) return null;
    throw thrown;
  }
}

/** Returns the identity of a file, whatever its path: device and inode. */
export const identityOf = (found: BigIntStats): string => `${found.dev}:${found.ino}`;

/** Finds where a path leads and what is there now. Throws what the system throws. */
export async function locatePlace(path: string): Promise<Place> {
  // Nearly always a path has no links, and what it leads to is looked at meanwhile.
  const direct = lstat(path, { bigint: true }).catch(() => null);
  const { path: realPath, exists } = await resolvePath(path, MAX_LINKS);
  if (!exists) return { realPath, identity: null };
  try {
    const found = realPath === path ? await direct : null;
    return placeAt(realPath, found ?? (await lstat(realPath, { bigint: true })));
  } catch (thrown) {
    if (isNothing(thrown)) return { realPath, identity: null };
    throw thrown;
  }
}

/** The file that was decided on, open for reading. */
export interface OpenPlace {
  readonly handle: FileHandle;
  readonly found: BigIntStats;
}

/** Returns the place of what was found at a path without links. */
export function placeAt(realPath: string, found: BigIntStats): Place {
  const place = { realPath, identity: identityOf(found) };
  if (found.isDirectory()) return place;
  if (!found.isFile()) return { ...place, special: true };
  return found.nlink > 1 ? { ...place, shared: true } : place;
}

/**
 * Opens the file that was decided on for reading: follows no link at the end, and reads not a byte before place and
 * identity of what got opened are sure. Throws {@link PlaceMoved} when either differs.
 */
export async function openPlace(place: Place): Promise<OpenPlace> {
  const handle = await openUnlinked(place.realPath, READ_FLAGS | NO_LINKS);
  try {
    // Of an open file the kernel tells at once.
    const found = fstatSync(handle.fd, { bigint: true });
    const there = await liesAt(handle, place.realPath);
    if (!there || identityOf(found) !== place.identity) throw new PlaceMoved();
    return { handle, found };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Replaces (or makes) the file that was decided on, in the folder that was decided on. */
export async function replaceAt(
  place: Place,
  data: Uint8Array | string,
  mode?: number,
): Promise<BigIntStats> {
  const folder = await openFolder(dirname(place.realPath), place.identity === null);
  try {
    const verify = (existing: BigIntStats | null) => unchanged(place, existing, folder);
    return await replaceIn(folder.at, basename(place.realPath), data, mode, verify);
  } finally {
    await folder.close();
  }
}

async function unchanged(
  place: Place,
  existing: BigIntStats | null,
  folder: OpenFolder,
): Promise<void> {
  await folder.verify();
  const identity = existing === null ? null : identityOf(existing);
  if (identity !== place.identity) throw new PlaceMoved();
}

/** Opens the folder that was decided on. */
export async function holdPlace(place: Place): Promise<OpenFolder> {
  const folder = await openFolder(place.realPath, false);
  try {
    if (identityOf(await folder.stat()) !== place.identity) throw new PlaceMoved();
    return folder;
  } catch (thrown) {
    await folder.close();
    throw thrown;
  }
}

/** A folder that stays the same whatever happens to its path. */
export interface OpenFolder {
  /** The path of a name in it. */
  at(name: string): string;
  /** A path by which other processes reach it too. */
  readonly path: string;
  /** Throws {@link PlaceMoved} when its path leads elsewhere by now. For systems where `at` goes by path. */
  verify(): Promise<void>;
  stat(): Promise<BigIntStats>;
  close(): Promise<void>;
}

/**
 * Tells whether an open file or folder lies where `realPath`, a path free of links, says. Linux tells by the handle
 * itself; elsewhere the path must still lead to the same file.
 */
async function liesAt(handle: FileHandle, realPath: string): Promise<boolean> {
  const told = toldPlace(handle.fd);
  if (told !== null) return told === realPath;
  if ((await realpath(realPath)) !== realPath) return false;
  const [held, there] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(realPath, { bigint: true }),
  ]);
  return held.dev === there.dev && held.ino === there.ino;
}

/** Returns where the system says an open file or folder lies; null where it does not say. */
export function toldPlace(descriptor: number): string | null {
  if (!BY_HANDLE) return null;
  try {
    // The kernel's own memory: no disk is asked.
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    return null;
  }
}

/** Returns a path that leads to an open file whatever happens to its own; its own path where there is none. */
export const pathOfHandle = (handle: Pick<FileHandle, 'fd'>, realPath: string): string =>
  BY_HANDLE ? `/proc/${process.pid}/fd/${handle.fd}` : realPath;

/** Opens the folder at a path free of links; with `make` makes what is missing of it. Throws what the system throws, too. */
async function openFolder(realPath: string, make: boolean): Promise<OpenFolder> {
  try {
    return await hold(realPath, realPath);
  } catch (thrown) {
    const parent = dirname(realPath);
    if (!make || errorCode(thrown) !== 'ENOENT' || parent === realPath) throw thrown;
    return makeIn(parent, realPath);
  }
}

async function makeIn(parent: string, realPath: string): Promise<OpenFolder> {
  const above = await openFolder(parent, true);
  try {
    const path = above.at(basename(realPath));
    await mkdir(path).catch((thrown: unknown) => {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
    });
    return await hold(path, realPath);
  } finally {
    await above.close();
  }
}

async function hold(path: string, realPath: string): Promise<OpenFolder> {
  const handle = await openUnlinked(path, FOLDER_FLAGS);
  const verify = async () => {
    if (!(await liesAt(handle, realPath))) throw new PlaceMoved();
  };
  try {
    await verify();
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  const folder = pathOfHandle(handle, realPath);
  return {
    at: (name) => join(folder, name),
    path: folder,
    verify,
    stat: () => handle.stat({ bigint: true }),
    close: () => handle.close(),
  };
}

/** Opens as open(2) does, but throws {@link PlaceMoved} for a link in place of the file or folder. */
async function openUnlinked(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (thrown) {
    // A folder opened with O_NOFOLLOW through a link is "not a directory" to Linux.
    const linked = errorCode(thrown) === 'ELOOP' || (await isMovedFolder(path, flags, thrown));
    throw linked ? new PlaceMoved() : thrown;
  }
}

async function isMovedFolder(path: string, flags: number, thrown: unknown): Promise<boolean> {
  if (errorCode(thrown) !== 'ENOTDIR' || flags !== FOLDER_FLAGS) return false;
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}
