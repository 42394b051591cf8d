/** A batch is passed on after this long. Milliseconds (DESIGN "Flow control"). */
export const BATCH_MS = 5;
/** … or as soon as it holds this much. Bytes. */
export const BATCH_BYTES = 64 * 1024;

/** Gathers the ~3 kB chunks of a pty into batches, in order. */
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

  /** Passes on what is held, now. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#bytes === 0) return;
    const batch = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [];
    this.#bytes = 0;
    this.#deliver(batch);
  }
}
