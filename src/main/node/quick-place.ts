import { closeSync, fstatSync, lstatSync, openSync, read, readSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Place } from '../engine/ports';
import { errorCode } from './file-fault';
import { NO_LINKS, PlaceMoved, toldPlace } from './held-folder';
import { identityOf, locatePlace, type OpenPlace, openPlace, placeAt } from './pinned-file';
import type { QuickLook } from './quick-look';
import { READ_FLAGS, type ReadHandle } from './read-file';
import { isNothing } from './real-path';

/** The most that is read at once without leaving it to another thread. Bytes. */
const QUICK_BYTES = 256 * 1024;

/** As {@link locatePlace}, at once while the disk answers at once. */
export const locateBy = async (look: QuickLook, path: string): Promise<Place> =>
  (await look(() => locateNow(path), nothing)) ?? locatePlace(path);

/** As {@link openPlace}, at once while the disk answers at once; so are small reads of what is open then. */
export const openBy = async (look: QuickLook, place: Place): Promise<OpenPlace> =>
  (await look(() => openNow(place, look), nothing)) ?? openPlace(place);

const nothing = async (): Promise<null> => null;

/** Null where nothing is there: finding out where something would be takes more looks. */
function locateNow(path: string): Place | null {
  try {
    const realPath = realpathSync.native(path);
    return placeAt(realPath, lstatSync(realPath, { bigint: true }));
  } catch (thrown) {
    if (isNothing(thrown)) return null;
    throw thrown;
  }
}

/** Null where only more looks tell whether it is what was decided on. */
function openNow(place: Place, look: QuickLook): OpenPlace | null {
  const descriptor = openUnlinkedNow(place.realPath);
  try {
    const found = fstatSync(descriptor, { bigint: true });
    const lies = toldPlace(descriptor);
    if (lies === place.realPath && identityOf(found) === place.identity) {
      return { handle: handleOf(descriptor, look), found };
    }
    if (lies !== null) throw new PlaceMoved();
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
  closeSync(descriptor);
  return null;
}

function openUnlinkedNow(path: string): number {
  try {
    return openSync(path, READ_FLAGS | NO_LINKS);
  } catch (thrown) {
    throw errorCode(thrown) === 'ELOOP' ? new PlaceMoved() : thrown;
  }
}

const readElsewhere = promisify(read);

const handleOf = (fd: number, look: QuickLook): ReadHandle => ({
  fd,
  read: async (buffer, offset, length, position) => {
    const patient = () => readElsewhere(fd, buffer, offset, length, position);
    if (length > QUICK_BYTES) return patient();
    return look(() => ({ bytesRead: readSync(fd, buffer, offset, length, position) }), patient);
  },
  close: async () => closeSync(fd),
});
