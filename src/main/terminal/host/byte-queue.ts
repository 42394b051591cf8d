const NOTHING = Buffer.alloc(0);
/** The least memory that a queue with content has. Bytes. */
const SMALLEST = 4 * 1024;

/**
 * Bytes in arrival order, in one piece of memory that is used again. Queues of separate buffers would leave each of them
 * to a full collection, which V8 puts off while a flood fills hundreds of megabytes.
 */
export class ByteQueue {
  #memory: Buffer = NOTHING;
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** The memory that holds the content. Bytes. */
  get capacity(): number {
    return this.#memory.byteLength;
  }

  /** Copies bytes to the end. */
  push(bytes: Uint8Array): void {
    if (this.#end + bytes.byteLength > this.capacity) this.#makeRoom(bytes.byteLength);
    this.#memory.set(bytes, this.#end);
    this.#end += bytes.byteLength;
  }

  /** Returns the content from an index on without copying it: good until the queue is changed. */
  view(from = 0): Buffer {
    return this.#memory.subarray(this.#start + from, this.#end);
  }

  /** Removes and returns at most `bytes` of the oldest. */
  take(bytes: number): Buffer {
    const taken = Buffer.from(this.view().subarray(0, bytes));
    this.drop(taken.byteLength);
    return taken;
  }

  /** Removes the oldest `bytes`. An empty queue holds no memory, and any other no more than four times its length. */
  drop(bytes: number): void {
    this.#start += bytes;
    if (this.length === 0) this.clear();
    else if (this.length * 4 < this.capacity && this.capacity > SMALLEST) this.#move(this.length);
  }

  /** Puts fewer bytes in the place of the oldest `bytes`. */
  shorten(bytes: number, by: Buffer): void {
    this.drop(bytes - by.byteLength);
    by.copy(this.#memory, this.#start);
  }

  clear(): void {
    this.#memory = NOTHING;
    this.#start = 0;
    this.#end = 0;
  }

  /** Moves the content to the start of its memory, or of more memory when a third of it would not stay free. */
  #makeRoom(bytes: number): void {
    const needed = this.length + bytes;
    if (needed * 1.5 > this.capacity) this.#move(needed);
    else this.#moveTo(this.#memory);
  }

  /** Moves the content to memory with room for so many bytes, and half as many more. */
  #move(bytes: number): void {
    this.#moveTo(Buffer.allocUnsafeSlow(Math.max(SMALLEST, Math.ceil(bytes * 1.5))));
  }

  #moveTo(memory: Buffer): void {
    this.#end = this.#memory.copy(memory, 0, this.#start, this.#end);
    this.#start = 0;
    this.#memory = memory;
  }
}
