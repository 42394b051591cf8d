import { type BigIntStats, constants, readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from './file-fault';

/**
 * Node has no openat. On Linux `/proc/self/fd/<folder>/<name>` is the same: it starts at the folder that is open,
 * whatever its path leads to by now. macOS refuses links anywhere in a path by a flag of open(2) instead
 * (O_NOFOLLOW_ANY, 0x20000000, since macOS 11). Elsewhere the path is looked at again after opening.
 */
const BY_HANDLE = process.platform === 'linux';
export const NO_LINKS =
  (constants.O_NOFOLLOW ?? 0) | (process.platform === 'darwin' ? 0x20000000 : 0);

/** Opens a folder only as a place to start from, which needs no right to list it (O_PATH of open(2), Linux). */
const FOLDER_FLAGS =
  (constants.O_DIRECTORY ?? 0) | NO_LINKS | (BY_HANDLE ? 0x200000 : constants.O_RDONLY);

/** Thrown when a place is not, or no longer, what was decided on. */
export class PlaceMoved extends Error {}

/** A folder that stays the same whatever happens to its path. */
export interface OpenFolder {
  /** The path of a name in it. */
  at(name: string): string;
  /** By which other processes reach it too. */
  readonly path: string;
  /** Throws {@link PlaceMoved} when its path leads elsewhere by now. For systems where `at` goes by path. */
  verify(): Promise<void>;
  stat(): Promise<BigIntStats>;
  close(): Promise<void>;
}

/**
 * Whether an open file or folder lies where `realPath`, a path free of links, says. Linux tells by the handle
 * itself; elsewhere the path must still lead to the same file.
 */
export async function liesAt(handle: FileHandle, realPath: string): Promise<boolean> {
  const told = toldPlace(handle.fd);
  if (told !== null) return told === realPath;
  if ((await realpath(realPath)) !== realPath) return false;
  const [held, there] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(realPath, { bigint: true }),
  ]);
  return held.dev === there.dev && held.ino === there.ino;
}

/** Where the system says an open file or folder lies; null where it does not say. */
function toldPlace(descriptor: number): string | null {
  if (!BY_HANDLE) return null;
  try {
    // The kernel's own memory: no disk is asked.
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    return null;
  }
}

/** A path that leads to what is open, whatever happens to its own path; where there is none, its own path. */
export const pathOfHandle = (handle: Pick<FileHandle, 'fd'>, realPath: string): string =>
  BY_HANDLE ? `/proc/${process.pid}/fd/${handle.fd}` : realPath;

/** Opens the folder at a path free of links; with `make` what is missing of it is made. Throws also what the system throws. */
export async function openFolder(realPath: string, make: boolean): Promise<OpenFolder> {
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

/** As open(2), but a link in place of the file or folder counts as {@link PlaceMoved}. */
export async function openUnlinked(path: string, flags: number): Promise<FileHandle> {
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
