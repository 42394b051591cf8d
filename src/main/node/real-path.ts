import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from './file-fault';

/** As many links as Linux follows before it calls them a circle (path_resolution(7)). */
const MAX_LINKS = 40;

/** Nothing is there, and nothing can be: no such name, below a file, a name longer than the disk takes. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Whether a failure says that. */
export const isNothing = (thrown: unknown): boolean => NOTHING_THERE.has(errorCode(thrown) ?? '');

/**
 * Where an absolute path really leads. Parts that do not exist are appended to the deepest real parent;
 * a dangling link resolves to where it points. Throws what the system throws for anything else.
 */
export async function resolveRealPath(path: string, linksLeft = MAX_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const parent = dirname(path);
    if (!isNothing(thrown) || parent === path) throw thrown;
    return resolveMissing(parent, path, linksLeft);
  }
}

async function resolveMissing(parent: string, path: string, linksLeft: number): Promise<string> {
  const realParent = await resolveRealPath(parent, linksLeft);
  const inParent = join(realParent, basename(path));
  const target = await linkTarget(inParent);
  if (target === null) return inParent;
  if (linksLeft === 0) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  return resolveRealPath(resolve(realParent, target), linksLeft - 1);
}

/** What a link says, or null when there is no link (or nothing) at the path. */
async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (thrown) {
    if (isNothing(thrown)) return null;
    throw thrown;
  }
}
