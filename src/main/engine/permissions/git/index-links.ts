/** Sizes and marks of git's index file, all numbers big-endian (gitformat-index(5)). */
const HEADER_BYTES = 12;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const GITLINK = 0o160000;
const FILE_TYPE = 0o170000;

/**
 * Whether an index names repositories inside the repository (submodules), in which git starts itself again. What is
 * no index that can be read through, or keeps its entries elsewhere, may name some. Pure.
 */
export function mayNameRepositories(index: Uint8Array, hashBytes: 20 | 32): boolean {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  try {
    if (view.getUint32(0) !== 0x44495243) return true; // DIRC
    const version = view.getUint32(4);
    if (version < 2 || version > 4) return true;
    const end = endOfEntries(view, index, version, hashBytes);
    return end === null || hasSplitEntries(view, end, hashBytes);
  } catch {
    return true;
  }
}

/** Where the entries end; null at the first one that is a repository. */
function endOfEntries(
  view: DataView,
  index: Uint8Array,
  version: number,
  hashBytes: number,
): number | null {
  let at = HEADER_BYTES;
  for (let left = view.getUint32(8); left > 0; left -= 1) {
    if ((view.getUint32(at + MODE_AT) & FILE_TYPE) === GITLINK) return null;
    const flagsAt = at + 40 + hashBytes;
    const isExtended = version >= 3 && (view.getUint16(flagsAt) & EXTENDED) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    // Version 4 begins a name with how much of the one before is dropped, seven bits a byte.
    if (version === 4) while ((view.getUint8(nameAt++) & 0x80) !== 0);
    const nul = index.indexOf(0, nameAt);
    if (nul < 0) throw new RangeError('a name without an end');
    at = version === 4 ? nul + 1 : at + padded(nul - at);
  }
  return at;
}

/** One to eight NULs fill an entry up to a multiple of eight. */
const padded = (bytes: number): number => (bytes + 8) & ~7;

/** The `link` extension says that entries are in another file. */
function hasSplitEntries(view: DataView, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= view.byteLength - hashBytes; at += 8 + view.getUint32(at + 4))
    if (view.getUint32(at) === 0x6c696e6b) return true; // link
  return false;
}
