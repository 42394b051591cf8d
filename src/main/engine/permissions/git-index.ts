/** Sizes and marks of git's index file, all numbers big-endian (gitformat-index(5)). */
const HEADER_BYTES = 12;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const GITLINK = 0o160000;
const FILE_TYPE = 0o170000;

/** The length of a hash in an index. Bytes. */
export type HashBytes = 20 | 32;

interface Entries {
  /** Paths from the folder of the repository. */
  readonly names: readonly string[];
  readonly hasRepositories: boolean;
}

/**
 * Tells whether an index names repositories inside the repository (submodules), in which git starts
 * itself again. What is no index that can be read through, or keeps its entries elsewhere, may name
 * some. Pure.
 */
export const mayNameRepositories = (index: Uint8Array, hashBytes: HashBytes): boolean =>
  entriesOf(index, hashBytes, false)?.hasRepositories ?? true;

/** Returns the names of all files in an index; null for one that cannot be read through. Pure. */
export const trackedNames = (index: Uint8Array, hashBytes: HashBytes): readonly string[] | null =>
  entriesOf(index, hashBytes, true)?.names ?? null;

function entriesOf(index: Uint8Array, hashBytes: HashBytes, named: boolean): Entries | null {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  try {
    if (view.getUint32(0) !== 0x44495243) return null; // DIRC
    const version = view.getUint32(4);
    if (version < 2 || version > 4) return null;
    return readEntries(view, index, version, hashBytes, named);
  } catch {
    return null;
  }
}

function readEntries(
  view: DataView,
  index: Uint8Array,
  version: number,
  hashBytes: number,
  named: boolean,
): Entries | null {
  const decoder = new TextDecoder();
  const names: string[] = [];
  let before: Uint8Array = new Uint8Array();
  let hasRepositories = false;
  let at = HEADER_BYTES;
  for (let left = view.getUint32(8); left > 0; left -= 1) {
    hasRepositories ||= (view.getUint32(at + MODE_AT) & FILE_TYPE) === GITLINK;
    const flagsAt = at + 40 + hashBytes;
    const isExtended = version >= 3 && (view.getUint16(flagsAt) & EXTENDED) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let dropped = 0;
    if (version === 4) [dropped, nameAt] = readDropped(view, nameAt);
    const nul = index.indexOf(0, nameAt);
    if (nul < 0) return null;
    if (named) {
      const kept =
        version === 4 ? before.subarray(0, before.length - dropped) : before.subarray(0, 0);
      before = joined(kept, index.subarray(nameAt, nul));
      names.push(decoder.decode(before));
    }
    at = version === 4 ? nul + 1 : at + padded(nul - at);
  }
  return hasSplitEntries(view, at, hashBytes) ? null : { names, hasRepositories };
}

/** Version 4 begins a name with how much of the one before is dropped, seven bits a byte (as in pack files). */
function readDropped(view: DataView, from: number): [dropped: number, at: number] {
  let at = from;
  let byte = view.getUint8(at++);
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = view.getUint8(at++);
    dropped = ((dropped + 1) << 7) | (byte & 0x7f);
  }
  return [dropped, at];
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (head.length === 0) return tail;
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/** Rounds up past one to eight NULs, which fill an entry to a multiple of eight. */
const padded = (bytes: number): number => (bytes + 8) & ~7;

/** Tells whether the `link` extension puts entries into another file. */
function hasSplitEntries(view: DataView, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= view.byteLength - hashBytes; at += 8 + view.getUint32(at + 4))
    if (view.getUint32(at) === 0x6c696e6b) return true; // link
  return false;
}
