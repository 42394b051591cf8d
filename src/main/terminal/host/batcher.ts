import { completeLength } from './complete-part';

/** A batch is passed on after this long. Milliseconds (DESIGN "Flow control"). */
export const BATCH_MS = 5;
/** … or as soon as it holds this much. Bytes. */
export const BATCH_BYTES = 64 * 1024;

/** Gathers the ~3 kB chunks of a pty into batches, in order, each ending between characters and sequences. */
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
    if (this.#bytes >= BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Passes on what is held, now; an unfinished character or sequence at its end waits for the rest. */
  flush(): void {
    const all = this.#take();
    const length = completeLength(all);
    if (length < all.byteLength) this.#hold(Buffer.from(all.subarray(length)));
    if (length > 0) this.#deliver(all.subarray(0, length));
  }

  /** Passes on everything: nothing will follow. */
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
