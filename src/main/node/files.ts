import type { BigIntStats, Dirent } from 'node:fs';
import { mkdir, readdir, rm, stat, truncate, unlink } from 'node:fs/promises';
import { err, ok, type Result } from '../../shared/result';
import type { DirectoryEntry, FileFault, FileStat, Files, OpenFile, Place } from '../engine/ports';
import { openAppendFile } from './append-file';
import { NotReplaceable, replaceFile } from './atomic-write';
import { errorCode, fileFault, movedFault, notRegular } from './file-fault';
import { PlaceMoved, pathOfHandle } from './held-folder';
import { holdPlace, identityOf, locatePlace, openPlace, replaceAt } from './pinned-file';
import { type ReadOutcome, readBytes, readFrom } from './read-file';
import { resolveRealPath } from './real-path';

/**
 * The disk. Every failure is a value in plain words. `remove` takes a file, a link (never what it points to)
 * or a folder with all that is in it. Missing folders are made by `write`, `openAppend`, `makeDirectory`.
 */
export function createNodeFiles(): Files {
  return {
    stat: (path) => attempt(path, async () => describe(await stat(path, { bigint: true }))),
    read: (path, maxBytes) => readWhole(path, maxBytes),
    readRange: (path, start, end) => readPart(path, start, end),
    write: (path, data, mode) => attempt(path, () => write(path, data, mode)),
    openAppend: (path) => attempt(path, () => openAppendFile(path)),
    truncate: (path, size) => attempt(path, () => truncate(path, size).then(nothing)),
    list: (path) => attempt(path, () => list(path)),
    // Only Lathe's own folders are made by it, so they are their owner's alone.
    makeDirectory: (path) =>
      attempt(path, () => mkdir(path, { recursive: true, mode: 0o700 }).then(nothing)),
    remove: (path) => attempt(path, () => remove(path).then(nothing)),
    realPath: (path) => attempt(path, () => resolveRealPath(path)),
    locate: (path) => attempt(path, () => locatePlace(path)),
    open: (place) => openAt(place),
    writeAt: (place, data) =>
      attempt(place.realPath, async () => describe(await replaceAt(place, data))),
    holdFolder: (place) =>
      attempt(place.realPath, async () => {
        const folder = await holdPlace(place);
        return { path: folder.path, release: folder.close };
      }),
  };
}

const nothing = (): null => null;

/** Most of what is removed are files and links, which take one call; a folder says that it is one. */
async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') throw thrown;
    await rm(path, { recursive: true });
  }
}

async function attempt<T>(path: string, act: () => T | Promise<T>): Promise<Result<T, FileFault>> {
  try {
    return ok(await act());
  } catch (thrown) {
    if (thrown instanceof NotReplaceable) return err(unreadable(path, thrown.reason));
    return err(thrown instanceof PlaceMoved ? movedFault(path) : fileFault(path, thrown));
  }
}

const describe = (found: BigIntStats): FileStat => ({
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
    const message = `${path} is larger than ${maxBytes} bytes.`;
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
  const stat = describe(found);
  if (stat.kind !== 'file') {
    await handle.close();
    return err(unreadable(path, stat.kind === 'directory' ? 'is_directory' : 'not_regular'));
  }
  return ok({
    stat,
    path: pathOfHandle(handle, path),
    read: (start, end) =>
      attempt(path, async () => (await readFrom(handle, stat.size, start, end - start)).bytes),
    close: () => handle.close(),
  });
}

async function list(path: string): Promise<readonly DirectoryEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.map((entry) => ({ name: entry.name, kind: entryKind(entry) }));
}

function entryKind(entry: Dirent): DirectoryEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'directory';
  return entry.isFile() ? 'file' : 'other';
}
