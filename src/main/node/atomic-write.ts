import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './file-fault';

/** What is known of the file that is about to be replaced. */
interface Existing {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

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
  const existing = await examine(path);
  const folder = dirname(path);
  if (existing === null) await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.lathe-${randomBytes(9).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', mode ?? 0o666);
    try {
      await fill(handle, data, mode ?? existing?.mode, existing);
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

async function fill(
  handle: FileHandle,
  data: Uint8Array | string,
  mode: number | undefined,
  existing: Existing | null,
): Promise<void> {
  if (existing !== null) await keepOwner(handle, existing);
  if (mode !== undefined) await handle.chmod(mode);
  await handle.writeFile(data);
  await handle.sync();
}

/** Only root may give files away; for anyone else the file becomes theirs, as with every editor. */
async function keepOwner(handle: FileHandle, existing: Existing): Promise<void> {
  try {
    await handle.chown(existing.uid, existing.gid);
  } catch (thrown) {
    if (errorCode(thrown) !== 'EPERM' && errorCode(thrown) !== 'ENOSYS') throw thrown;
  }
}

/** The file at the path, or null when there is none. A file one may not write is not replaced either. */
async function examine(path: string): Promise<Existing | null> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new NotReplaceable('is_directory');
    if (!found.isFile()) throw new NotReplaceable('not_regular');
    await access(path, constants.W_OK);
    return { mode: found.mode & 0o7777, uid: found.uid, gid: found.gid };
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}
