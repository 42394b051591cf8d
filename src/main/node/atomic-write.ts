import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from './file-fault';

/** Thrown when the path holds something that must not be replaced by a file. */
export class NotReplaceable extends Error {
  constructor(readonly reason: 'is_directory' | 'not_regular') {
    super(reason);
  }
}

/**
 * Replaces a file in one step: the data goes to a fresh file beside it (random name, exclusive), reaches
 * the disk, and is renamed over it. Readers see the old or the new content, never a part.
 * Keeps mode and, where allowed, owner. `path` must be a real path: a link would be replaced.
 * Throws what the system throws; nothing is left behind.
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
    // A file of one person is not put where others could look.
    const onlyTheirs = mode !== undefined && (mode & 0o077) === 0;
    await mkdir(folder, { recursive: true, ...(onlyTheirs ? { mode: 0o700 } : {}) });
    await write();
  }
}

/**
 * As {@link replaceFile}, in a folder that exists: `at` gives the path of a name in it. `verify` is told what is
 * at the name, before anything is written and again before the rename; it throws to leave everything as it is.
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
  const temporary = at(`.lathe-${randomBytes(9).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', mode ?? 0o666);
    let written: BigIntStats;
    try {
      await fill(handle, data, mode, existing);
      written = await handle.stat({ bigint: true });
    } finally {
      await handle.close();
    }
    await verify(await lookAt(path));
    await rename(temporary, path);
    return written;
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

async function fill(
  handle: FileHandle,
  data: Uint8Array | string,
  mode: number | undefined,
  existing: BigIntStats | null,
): Promise<void> {
  if (existing !== null) await keepOwner(handle, existing);
  const kept = mode ?? (existing === null ? undefined : Number(existing.mode & 0o7777n));
  if (kept !== undefined) await handle.chmod(kept);
  await handle.writeFile(data);
  await handle.sync();
}

/** Only root may give files away; for anyone else the file becomes theirs, as with every editor. */
async function keepOwner(handle: FileHandle, existing: BigIntStats): Promise<void> {
  try {
    await handle.chown(Number(existing.uid), Number(existing.gid));
  } catch (thrown) {
    if (errorCode(thrown) !== 'EPERM' && errorCode(thrown) !== 'ENOSYS') throw thrown;
  }
}

/** The file at the path, or null when there is none. A file one may not write is not replaced either. */
async function examine(path: string): Promise<BigIntStats | null> {
  const found = await lookAt(path);
  if (found === null) return null;
  if (found.isDirectory()) throw new NotReplaceable('is_directory');
  if (!found.isFile()) throw new NotReplaceable('not_regular');
  await access(path, constants.W_OK);
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
