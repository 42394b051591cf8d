import type { BigIntStats, Dirent } from 'node:fs';
import {
  open,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../shared/result';
import type { DirectoryEntry, FileFault, FileStat, Files, OpenFile, Place } from '../engine/ports';
import { errorCode, fileFault, movedFault, notFolder, notRegular } from './file-fault';
import { makeFolder } from './make-folder';
import {
  holdPlace,
  identityOf,
  locatePlace,
  openPlace,
  PlaceMoved,
  pathOfHandle,
  READ_FLAGS,
  replaceAt,
  resolveRealPath,
} from './places';
import { NotReplaceable, openAppendFile, replaceFile } from './write-file';

/**
 * Creates the access to the disk. Every failure is a value in plain words. `remove` takes a file, a link (never what it
 * points to) or a folder with all that is in it. `write`, `openAppend` and `makeDirectory` make missing folders.
 */
export function createNodeFiles(): Files {
  return {
    stat: (path) => attempt(path, async () => describe(await stat(path, { bigint: true }))),
    read: (path, maxBytes) => readWhole(path, maxBytes),
    readRange: (path, start, end) => readPart(path, start, end),
    write: (path, data, mode) => attempt(path, () => write(path, data, mode)),
    openAppend: (path) => attempt(path, () => openAppendFile(path)),
    truncate: (path, size) => attempt(path, () => truncate(path, size).then(nothing)),
    touch: (path, at) => attempt(path, () => utimes(path, at / 1000, at / 1000).then(nothing)),
    list,
    // Only Lathe's own folders are made by it, so they are their owner's alone.
    makeDirectory: (path) => attempt(path, () => makeFolder(path).then(nothing)),
    remove: (path) => attempt(path, () => remove(path).then(nothing)),
    move: (from, to) => attempt(from, () => move(from, to).then(nothing)),
    realPath: (path) => attempt(path, () => resolveRealPath(path)),
    locate: (path) => attempt(path, () => locatePlace(path)),
    open: (place) => openAt(place),
    writeAt: (place, data, mode) =>
      attempt(place.realPath, async () => describe(await replaceAt(place, data, mode))),
    // A junction, on Windows, needs no rights that links need there.
    link: (folder, path) => attempt(path, () => symlink(folder, path, 'junction').then(nothing)),
    holdFolder: (place) =>
      attempt(place.realPath, async () => {
        const folder = await holdPlace(place);
        return { path: folder.path, release: folder.close };
      }),
  };
}

const nothing = (): null => null;

/** Removes a file or a link, which is most of what is removed, by one call; a folder says that it is one. */
async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') throw thrown;
    await rm(path, { recursive: true });
  }
}

async function move(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await rename(from, to);
}

/** Returns what `act` does, its failure as a value in plain words. */
export async function attempt<T>(
  path: string,
  act: () => T | Promise<T>,
): Promise<Result<T, FileFault>> {
  try {
    return ok(await act());
  } catch (thrown) {
    if (thrown instanceof NotReplaceable) return err(unreadable(path, thrown.reason));
    return err(thrown instanceof PlaceMoved ? movedFault(path) : fileFault(path, thrown));
  }
}

/** Returns a file's stat as the engine has it. */
export const describe = (found: BigIntStats): FileStat => ({
  kind: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
  size: Number(found.size),
  mtimeMs: Number(found.mtimeNs) / 1e6,
  mode: Number(found.mode & 0o7777n),
  identity: identityOf(found),
});

async function readWhole(path: string, maxBytes: number): Promise<Result<Uint8Array, FileFault>> {
  const outcome = await attempt(path, () => readBytes(path, 0, maxBytes));
  if (!outcome.ok) return outcome;
  if (outcome.value.kind === 'bytes' && outcome.value.more) {
    const message = `${path} has a size of more than ${maxBytes} bytes.`;
    return err({ code: 'too_large', path, message });
  }
  return bytesOf(path, outcome.value);
}

async function readPart(
  path: string,
  start: number,
  end: number,
): Promise<Result<Uint8Array, FileFault>> {
  const outcome = await attempt(path, () => readBytes(path, start, Math.max(end - start, 0)));
  return outcome.ok ? bytesOf(path, outcome.value) : outcome;
}

function bytesOf(path: string, outcome: ReadOutcome): Result<Uint8Array, FileFault> {
  if (outcome.kind === 'bytes') return ok(outcome.bytes);
  return err(unreadable(path, outcome.kind));
}

const unreadable = (path: string, kind: 'is_directory' | 'not_regular'): FileFault =>
  kind === 'is_directory'
    ? { code: 'is_directory', path, message: `${path} is a folder, not a file.` }
    : notRegular(path);

async function write(
  path: string,
  data: Uint8Array | string,
  mode: number | undefined,
): Promise<null> {
  await replaceFile(await resolveRealPath(path), data, mode);
  return null;
}

async function openAt(place: Place): Promise<Result<OpenFile, FileFault>> {
  const path = place.realPath;
  const opened = await attempt(path, () => openPlace(place));
  if (!opened.ok) return opened;
  const { handle, found } = opened.value;
  if (!found.isFile()) {
    await handle.close();
    return err(unreadable(path, found.isDirectory() ? 'is_directory' : 'not_regular'));
  }
  return ok(openFileOf(handle, found, path));
}

/** The part of an open file's handle that reading needs. */
interface ReadHandle {
  readonly fd: number;
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** Returns an open regular file, found at `path`. */
export function openFileOf(handle: ReadHandle, found: BigIntStats, path: string): OpenFile {
  const stat = describe(found);
  return {
    stat,
    get path() {
      return pathOfHandle(handle, path);
    },
    read: (start, end) =>
      attempt(path, async () => (await readFrom(handle, stat.size, start, end - start)).bytes),
    close: () => handle.close(),
  };
}

async function list(path: string): Promise<Result<readonly DirectoryEntry[], FileFault>> {
  const listed = await attempt(path, () => readdir(path, { withFileTypes: true }));
  if (listed.ok)
    return ok(listed.value.map((entry) => ({ name: entry.name, kind: entryKind(entry) })));
  // The system has one error for a file and for a path that leads through one.
  const isThere =
    listed.error.code === 'not_directory' && (await attempt(path, () => stat(path))).ok;
  return err(isThere ? notFolder(path) : listed.error);
}

function entryKind(entry: Dirent): DirectoryEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'directory';
  return entry.isFile() ? 'file' : 'other';
}

/** The outcome of a read. `more`: the file has bytes beyond what was asked for. */
type ReadOutcome =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly more: boolean }
  | { readonly kind: 'is_directory' | 'not_regular' };

/** Reads up to `length` bytes from `start`. Throws what the system throws. */
async function readBytes(path: string, start: number, length: number): Promise<ReadOutcome> {
  const handle = await open(path, READ_FLAGS);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) return { kind: 'is_directory' };
    if (!found.isFile()) return { kind: 'not_regular' };
    return await readFrom(handle, found.size, start, length);
  } finally {
    await handle.close();
  }
}

/** Reads as {@link readBytes} does, from an open regular file that says it has `size` bytes. */
function readFrom(
  handle: ReadHandle,
  size: number,
  start: number,
  length: number,
): Promise<Extract<ReadOutcome, { kind: 'bytes' }>> {
  // Files in /proc say they have 0 bytes: room for a little more than the size finds that out.
  const room = Math.min(length, Math.max(size - start, 0) + 4096);
  return readUpTo(handle, start, length, room, size);
}

async function readUpTo(
  handle: ReadHandle,
  start: number,
  length: number,
  room: number,
  size: number,
): Promise<Extract<ReadOutcome, { kind: 'bytes' }>> {
  // One byte more than is asked for tells, in the same read, whether the file goes on.
  let buffer = Buffer.allocUnsafe(room + 1);
  let filled = 0;
  while (filled <= length) {
    if (filled === buffer.length) buffer = grow(buffer, length + 1);
    const asked = buffer.length - filled;
    const { bytesRead } = await handle.read(buffer, filled, asked, start + filled);
    filled += bytesRead;
    // A short read is the end of a file on a disk; in /proc only an empty one is.
    if (bytesRead === 0 || (bytesRead < asked && size > 0 && start + filled >= size)) break;
  }
  const bytes = buffer.subarray(0, Math.min(filled, length));
  return { kind: 'bytes', bytes, more: filled > length };
}

function grow(buffer: Buffer, limit: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(limit, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}
