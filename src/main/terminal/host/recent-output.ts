/** The newest output that is kept for viewers whose connection broke. Bytes. */
export const RECENT_BYTES = 256 * 1024;

/** The newest output of a terminal, by its place in all output since the terminal began. Places only grow. */
export class RecentOutput {
  #batches: Buffer[] = [];
  #start = 0;
  #end = 0;

  /** The place behind all output so far. */
  get end(): number {
    return this.#end;
  }

  push(batch: Buffer): void {
    this.#batches.push(batch);
    this.#end += batch.byteLength;
    while (this.#end - this.#start > RECENT_BYTES)
      this.#start += this.#batches.shift()?.byteLength ?? 0;
  }

  /** Forgets the content, because the screen changed otherwise: no earlier offset can be continued from. */
  forget(): void {
    this.#batches = [];
    this.#end += 1;
    this.#start = this.#end;
  }

  /** Returns the output since an offset; null when it is no longer all there, or never was. */
  since(offset: number): Buffer | null {
    if (!Number.isInteger(offset) || offset < this.#start || offset > this.#end) return null;
    return Buffer.concat(this.#batches).subarray(offset - this.#start);
  }
}
