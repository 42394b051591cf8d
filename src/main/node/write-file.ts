import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs';
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { err, ok, type Result } from '../../shared/result';
import type { AppendFile, FileFault } from '../engine/ports';
import { errorCode, fileFault } from './file-fault';
import { draftName } from './left-drafts';
import { makeFolder } from './make-folder';

/** Thrown when the path holds something that must not be replaced by a file. */
export class NotReplaceable extends Error {
  constructor(readonly reason: 'is_directory' | 'not_regular') {
    super(reason);
  }
}

/**
 * Replaces a file in one step: the data goes to a new file beside it (random name, exclusive), reaches the disk, and is
 * renamed over it. Readers see the old or the new content, never a part. Keeps mode and, where allowed, owner; makes
 * missing folders. `path` must be a real path: a link would be replaced. Throws what the system throws, and leaves
 * nothing behind.
 */
export async function replaceFile(
  path: string,
  data: Uint8Array | string,
  mode: number | undefined,
): Promise<void> {
  const folder = dirname(path);
  const write = () => replaceIn((name) => join(folder, name), basename(path), data, mode);
  try {
    await write();
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    // A file of one user is not put where others could look.
    const onlyTheirs = mode !== undefined && (mode & 0o077) === 0;
    await makeFolder(folder, onlyTheirs ? 0o700 : 0o777);
    await write();
  }
}

/**
 * Replaces a file as {@link replaceFile} does, in a folder that exists: `at` gives the path of a name in it. Passes
 * `verify` what is at the name, before anything is written and again before the rename; it throws to leave everything
 * as it is. Returns the new file's stat.
 */
export async function replaceIn(
  at: (name: string) => string,
  name: string,
  data: Uint8Array | string,
  mode: number | undefined,
  verify: (existing: BigIntStats | null) => Promise<void> = async () => undefined,
): Promise<BigIntStats> {
  const path = at(name);
  const existing = await examine(path);
  await verify(existing);
  const temporary = at(draftName());
  try {
    const handle = await open(temporary, 'wx', mode ?? 0o666);
    const written = await fill(handle, data, mode, existing).catch(async (thrown: unknown) => {
      await handle.close();
      throw thrown;
    });
    const [now] = await Promise.all([lookAt(path), handle.close()]);
    await verify(now);
    await rename(temporary, path);
    return written;
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Gives the new file its owner, mode and content, and returns its stat once the disk has it. */
async function fill(
  handle: FileHandle,
  data: Uint8Array | string,
  mode: number | undefined,
  existing: BigIntStats | null,
): Promise<BigIntStats> {
  // Of an open file the kernel tells at once.
  const made = fstatSync(handle.fd, { bigint: true });
  if (existing !== null && (existing.uid !== made.uid || existing.gid !== made.gid))
    await keepOwner(handle, existing);
  const kept = mode ?? (existing === null ? undefined : permissionsOf(existing));
  if (kept !== undefined && kept !== permissionsOf(made)) await handle.chmod(kept);
  await handle.writeFile(data);
  await handle.sync();
  return fstatSync(handle.fd, { bigint: true });
}

const permissionsOf = (found: BigIntStats): number => Number(found.mode & 0o7777n);

/** Keeps the owner where that is allowed: only root may give files away, as with every editor. */
async function keepOwner(handle: FileHandle, existing: BigIntStats): Promise<void> {
  try {
    await handle.chown(Number(existing.uid), Number(existing.gid));
  } catch (thrown) {
    if (errorCode(thrown) !== 'EPERM' && errorCode(thrown) !== 'ENOSYS') throw thrown;
  }
}

/** Returns the file at the path, or null when there is none. Throws when it may not be written or replaced. */
async function examine(path: string): Promise<BigIntStats | null> {
  const [found, denied] = await Promise.all([
    lookAt(path),
    access(path, constants.W_OK).then(
      () => null,
      (thrown: unknown) => ({ thrown }),
    ),
  ]);
  if (found === null) return null;
  if (found.isDirectory()) throw new NotReplaceable('is_directory');
  if (!found.isFile()) throw new NotReplaceable('not_regular');
  if (denied !== null) throw denied.thrown;
  return found;
}

async function lookAt(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

/**
 * Opens a file for appending and makes missing folders. What is new is its owner's only (0600, folders 0700).
 * The system has each append before the call returns, so nothing is lost should the process die right after; this takes
 * a few microseconds, another thread ten times as long. An append resolves at the end of this round of the event loop:
 * what has been read by then is handled before the caller goes on. Throws when the file cannot be opened.
 */
export async function openAppendFile(path: string): Promise<AppendFile> {
  await makeFolder(dirname(path));
  const descriptor = openSync(path, 'a', 0o600);
  let closed = false;

  /** Takes back the bytes of an append that fitted on a full disk, so that nothing runs into them. */
  const cutBack = (bytes: number) => {
    if (bytes === 0) return;
    try {
      // Other processes may append to the file too, so its size is that of now.
      const found = fstatSync(descriptor);
      if (found.isFile()) ftruncateSync(descriptor, found.size - bytes);
    } catch {
      // The disk refuses everything: whoever reads the file later repairs it.
    }
  };

  const write = (data: string): Result<null, FileFault> => {
    if (closed) return err({ code: 'other', path, message: `${path} was closed already.` });
    const bytes = Buffer.from(data);
    let at = 0;
    try {
      while (at < bytes.byteLength) at += writeSync(descriptor, bytes, at);
      return ok(null);
    } catch (thrown) {
      cutBack(at);
      return err(fileFault(path, thrown));
    }
  };

  return {
    append: async (data) => {
      const written = write(data);
      await nextLoop();
      return written;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      closeSync(descriptor);
    },
  };
}
