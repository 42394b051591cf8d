import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { ok, type Result } from '../../../shared/result';
import type { FileFault, Files, OpenFile, Place } from '../../engine/ports';
import { attempt, describe, openFileOf } from '../files';
import { identityOf, NO_LINKS, placeAt, READ_FLAGS, toldPlace } from '../places';

/**
 * Creates an access to the disk that finds, opens and reads files on the calling thread. That saves the way to
 * another thread and back, five times for each Read, and holds the thread up while a disk is slow: right for a headless
 * run, which has no window to freeze. Whatever is not plain there, and every other operation, is left to `files`.
 */
export function createDirectFiles(files: Files): Files {
  return {
    ...files,
    stat: (path) => attempt(path, () => describe(statSync(path, { bigint: true }))),
    locate: async (path) => locateNow(path) ?? files.locate(path),
    open: async (place) => openNow(place) ?? files.open(place),
  };
}

/** Returns the place of something that exists; null for anything else. */
function locateNow(path: string): Result<Place, FileFault> | null {
  try {
    const realPath = realpathSync.native(path);
    return ok(placeAt(realPath, lstatSync(realPath, { bigint: true })));
  } catch {
    return null;
  }
}

/** Returns the file that was decided on, open; null when it is not sure to be that one, or no regular file. */
function openNow(place: Place): Result<OpenFile, FileFault> | null {
  let descriptor: number;
  try {
    descriptor = openSync(place.realPath, READ_FLAGS | NO_LINKS);
  } catch {
    return null;
  }
  const found = fstatSync(descriptor, { bigint: true });
  const sure = toldPlace(descriptor) === place.realPath && identityOf(found) === place.identity;
  if (!sure || !found.isFile()) {
    closeSync(descriptor);
    return null;
  }
  const handle = {
    fd: descriptor,
    read: async (buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: readSync(descriptor, buffer, offset, length, position),
    }),
    close: async () => closeSync(descriptor),
  };
  return ok(openFileOf(handle, found, place.realPath));
}
