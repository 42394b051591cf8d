import { ByteQueue } from './byte-queue';

/** Output that comes within this time after a batch is joined to the next one. Milliseconds. */
export const BATCH_MS = 5;
/** A batch is passed on as soon as it holds this much. Bytes. */
export const BATCH_BYTES = 64 * 1024;

/**
 * Gathers the ~3 kB chunks of a pty into batches, in order, each ending between characters and sequences. What comes
 * after a silence is passed on at once: it may be the echo of a key.
 */
export class Batcher {
  readonly #deliver: (batch: Buffer) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(deliver: (batch: Buffer) => void) {
    this.#deliver = deliver;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#timer === null || this.#bytes >= BATCH_BYTES) this.flush();
  }

  /** Delivers what is held; an unfinished character or sequence at its end waits for the rest. */
  flush(): void {
    const all = this.#take();
    const length = completeLength(all);
    if (length < all.byteLength) this.#hold(Buffer.from(all.subarray(length)));
    if (length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, BATCH_MS);
    this.#deliver(all.subarray(0, length));
  }

  /** Delivers everything, because nothing will follow. */
  finish(): void {
    const all = this.#take();
    if (all.byteLength > 0) this.#deliver(all);
  }

  #take(): Buffer {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const all = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [];
    this.#bytes = 0;
    return all;
  }

  #hold(rest: Buffer): void {
    this.#chunks = [rest];
    this.#bytes = rest.byteLength;
  }
}

/** Cutting output where the part before the cut makes sense alone. */

const ESC = 0x1b;
/** An escape sequence that is longer than this is not waited for. Bytes. */
const LONGEST_SEQUENCE = 4 * 1024;
/** From an ESC to the end of the chunk: complete sequences of every kind (ECMA-48), with whatever follows. */
const COMPLETE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
  /^\x1b(?:\[[0-?]*[ -/]*[^ -?]|[\]PX^_][^\x07\x18\x1a]*[\x07\x18\x1a]|[ -/]+[^ -/]|[^ -/[\]PX^_])/;

/**
 * Returns the length of the part that ends between characters and between escape sequences. A screen taken in the middle of
 * one would lose its first half: what is attached later would show the second half as text.
 */
export function completeLength(bytes: Buffer): number {
  const end = lastCharacterEnd(bytes);
  const last = bytes.lastIndexOf(ESC, end - 1);
  if (end === 0 || last < 0 || end - last > LONGEST_SEQUENCE) return end;
  return COMPLETE.test(bytes.toString('latin1', last, end)) ? end : openStringStart(bytes, last);
}

/** Returns the start of the string that an ESC may be about to end (`ESC \`): then the whole string waits. */
function openStringStart(bytes: Buffer, last: number): number {
  const before = last === 0 ? -1 : bytes.lastIndexOf(ESC, last - 1);
  const isString = before >= 0 && ']PX^_'.includes(String.fromCharCode(bytes[before + 1] ?? 0));
  if (!isString || last - before > LONGEST_SEQUENCE) return last;
  return COMPLETE.test(bytes.toString('latin1', before, last)) ? last : before;
}

/** Returns the end of the last whole UTF-8 character: up to three bytes may begin another. */
function lastCharacterEnd(bytes: Buffer): number {
  const end = bytes.byteLength;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return characterBytes(byte) > back ? end - back : end;
  }
  return end;
}

const characterBytes = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);

/** The newest output that is kept for viewers whose connection broke. Bytes. */
export const RECENT_BYTES = 256 * 1024;

/** The newest output of a terminal, by its place in all output since the terminal began: viewers count along. */
export class RecentOutput {
  readonly #bytes = new ByteQueue();
  #end = 0;
  /** Nobody goes on from here or before. */
  #lost = -1;

  /** The place behind all output so far. */
  get end(): number {
    return this.#end;
  }

  push(batch: Buffer): void {
    this.#end += batch.byteLength;
    const newest = batch.subarray(-RECENT_BYTES);
    this.#bytes.drop(Math.max(0, this.#bytes.length + newest.byteLength - RECENT_BYTES));
    this.#bytes.push(newest);
  }

  /** The memory that holds the content. Bytes. */
  get heldBytes(): number {
    return this.#bytes.capacity;
  }

  /**
   * Forgets the content, because the screen changed otherwise: only who was there goes on from a later place. No place
   * moves: the viewer that changed the screen goes on counting.
   */
  forget(): void {
    this.#bytes.clear();
    this.#lost = this.#end;
  }

  /** Returns the output since an offset; null when it is no longer all there, or never was. */
  since(offset: number): Buffer | null {
    const start = this.#end - this.#bytes.length;
    if (!Number.isInteger(offset) || offset > this.#end) return null;
    if (offset < start || offset <= this.#lost) return null;
    return Buffer.from(this.#bytes.view(offset - start));
  }
}
