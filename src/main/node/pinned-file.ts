import { type BigIntStats, fstatSync } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Place } from '../engine/ports';
import { replaceIn } from './atomic-write';
import {
  liesAt,
  NO_LINKS,
  type OpenFolder,
  openFolder,
  openUnlinked,
  PlaceMoved,
} from './held-folder';
import { READ_FLAGS } from './read-file';
import { isNothing, resolveRealPath } from './real-path';

/** Device and inode: the identity of a file, whatever its path. */
export const identityOf = (found: BigIntStats): string => `${found.dev}:${found.ino}`;

/** Where a path leads and what is there now. Throws what the system throws. */
export async function locatePlace(path: string): Promise<Place> {
  const realPath = await resolveRealPath(path);
  try {
    return placeAt(realPath, await lstat(realPath, { bigint: true }));
  } catch (thrown) {
    if (isNothing(thrown)) return { realPath, identity: null };
    throw thrown;
  }
}

/** What was decided on, open for reading. */
export interface OpenPlace {
  readonly handle: FileHandle;
  readonly found: BigIntStats;
}

/** The place of what was found at a path without links. */
function placeAt(realPath: string, found: BigIntStats): Place {
  const place = { realPath, identity: identityOf(found) };
  if (found.isDirectory()) return place;
  if (!found.isFile()) return { ...place, special: true };
  return found.nlink > 1 ? { ...place, shared: true } : place;
}

/**
 * Opens what was decided on for reading: no link is followed at the end, and neither the place nor the identity
 * of what got opened may differ. Not a byte is read before that is sure. Throws {@link PlaceMoved} otherwise.
 */
export async function openPlace(place: Place): Promise<OpenPlace> {
  const handle = await openUnlinked(place.realPath, READ_FLAGS | NO_LINKS);
  try {
    // What is open already is told at once.
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
export async function replaceAt(place: Place, data: Uint8Array | string): Promise<BigIntStats> {
  const folder = await openFolder(dirname(place.realPath), place.identity === null);
  try {
    const verify = (existing: BigIntStats | null) => unchanged(place, existing, folder);
    return await replaceIn(folder.at, basename(place.realPath), data, undefined, verify);
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
