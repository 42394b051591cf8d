import { randomBytes } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Result } from '../../shared/result';
import type { RestoreTarget } from '../engine/ports-checkpoints';
import { absolute } from './scan';

/** A path that could not be given its state. */
export interface Failure {
  readonly path: string;
  readonly why: string;
}

/** Reads contents, as the store does. */
type ReadBlobs = (
  blobs: readonly string[],
  onBlob: (blob: string, bytes: Uint8Array) => Promise<void>,
) => Promise<Result<null>>;

/**
 * Gives paths the states they are to have: first what goes, the deepest first, then folders, then files and links, and
 * modes of folders last. A folder goes only when it is empty. Nothing is written through a link that lies on the way.
 */
export async function putBack(
  root: string,
  targets: readonly RestoreTarget[],
  read: ReadBlobs,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const attempt = async (path: string, act: () => Promise<unknown>) => {
    try {
      await act();
    } catch (thrown) {
      failures.push({ path, why: reason(thrown) });
    }
  };
  const deepestFirst = targets.toSorted((a, b) => depth(b.path) - depth(a.path));
  const shallowFirst = deepestFirst.toReversed();

  for (const { path, state } of deepestFirst) {
    await attempt(path, () => clear(root, path, state));
  }
  for (const { path, state } of shallowFirst) {
    if (state?.kind !== 'folder') continue;
    await attempt(path, async () => {
      const place = await safePlace(root, path, true);
      await mkdir(place).catch(allowing('EEXIST'));
      // What goes into it is written first.
      await chmod(place, state.mode | 0o700);
    });
  }
  const waiting = new Map<string, RestoreTarget[]>();
  for (const target of shallowFirst) {
    const { path, state } = target;
    if (state?.kind === 'link') {
      await attempt(path, async () => symlink(state.target, await safePlace(root, path, true)));
    }
    if (state?.kind !== 'file') continue;
    if (state.blob === null) failures.push({ path, why: 'its content was too large to be kept' });
    else waiting.set(state.blob, [...(waiting.get(state.blob) ?? []), target]);
  }
  const done = await read([...waiting.keys()], async (blob, bytes) => {
    for (const { path, state } of waiting.get(blob) ?? []) {
      if (state?.kind === 'file') await attempt(path, () => replace(root, path, bytes, state.mode));
    }
    waiting.delete(blob);
  });
  const why = done.ok ? 'its content is no longer kept' : done.error.message;
  for (const { path } of [...waiting.values()].flat()) failures.push({ path, why });
  for (const { path, state } of deepestFirst) {
    if (state?.kind === 'folder') {
      await attempt(path, async () => chmod(await safePlace(root, path), state.mode));
    }
  }
  return failures;
}

const depth = (path: string): number => path.split(/[\\/]/).length;

/** Takes away what is in the way of a state. */
async function clear(root: string, path: string, state: RestoreTarget['state']): Promise<void> {
  const place = absolute(root, path);
  const folder = dirname(place);
  // Behind a link on the way is something else. A loop of links leads nowhere.
  if ((await realpath(folder).catch(allowing('ENOENT', 'ENOTDIR', 'ELOOP'))) !== folder) return;
  const now = await lstat(place).catch(allowing('ENOENT', 'ENOTDIR'));
  if (now === undefined || !(await hasName(place))) return;
  if (now.isDirectory()) {
    if (state?.kind !== 'folder') await rmdir(place);
  } else if (state?.kind !== 'file') {
    await unlink(place);
  } else if (!now.isFile()) {
    await unlink(place);
  }
}

/** Tells whether a folder lists a path under this very name, and not under one that differs by case. */
async function hasName(place: string): Promise<boolean> {
  if (process.platform !== 'darwin' && process.platform !== 'win32') return true;
  const name = basename(place).normalize();
  return (await readdir(dirname(place))).some((entry) => entry.normalize() === name);
}

async function replace(root: string, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const place = await safePlace(root, path, true);
  const temporary = join(dirname(place), `.lathe-${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
    await chmod(temporary, mode);
    await rename(temporary, place);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Returns where a path is, with the folders it lies in made when asked. Throws when a link on the way leads elsewhere. */
async function safePlace(root: string, path: string, making = false): Promise<string> {
  const place = absolute(root, path);
  const folder = dirname(place);
  const real = await realpath(folder).catch(making ? allowing('ENOENT') : undefined);
  if (real === undefined) {
    await safePlace(root, folder, true);
    await mkdir(folder);
  } else if (real !== folder) {
    throw new Error('a link on the way to it leads elsewhere now');
  }
  return place;
}

/** Returns a handler that takes these faults for nothing at all. */
const allowing =
  (...codes: readonly string[]) =>
  (thrown: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(thrown.code ?? '')) throw thrown;
  };

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  ENOSPC: 'the disk is full',
  ENOTEMPTY: 'the folder holds other files',
  EEXIST: 'something else is there',
  EROFS: 'the disk takes no changes',
};

const reason = (thrown: unknown): string => {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
};
