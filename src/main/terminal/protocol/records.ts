/**
 * Length-prefixed records on the terminal host's socket: a length (u32 big endian), then that many bytes.
 * A control connection carries JSON in them, a viewer connection one terminal frame each.
 */

const PREFIX_BYTES = 4;

/** The longest record a host accepts: room for a spawn with a large environment, or a large paste. Bytes. */
export const MAX_RECORD_TO_HOST = 16 * 1024 * 1024;
/** The longest record a client accepts: room for a replay with its whole scrollback. Bytes. */
export const MAX_RECORD_TO_CLIENT = 64 * 1024 * 1024;

/** Encodes one record. Copies the payload. */
export function encodeRecord(payload: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(PREFIX_BYTES + payload.byteLength);
  record.writeUInt32BE(payload.byteLength);
  record.set(payload, PREFIX_BYTES);
  return record;
}

/** Encodes one record that holds JSON. */
export const encodeJsonRecord = (value: unknown): Buffer =>
  encodeRecord(Buffer.from(JSON.stringify(value)));

/** Returns the JSON object in a record; null when it holds none. */
export function parseJsonRecord(record: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(record).toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Cuts a byte stream into records. Holds at most one unfinished record. */
export class RecordReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #available = 0;

  /** `maxBytes` is the longest record accepted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the records that a chunk completes; null when one would be too long, so that the stream is not ours. */
  push(chunk: Uint8Array): Uint8Array[] | null {
    this.#chunks.push(chunk);
    this.#available += chunk.byteLength;
    const records: Uint8Array[] = [];
    for (;;) {
      if (this.#available < PREFIX_BYTES) return records;
      const length = this.#peekLength();
      if (length > this.#maxBytes) return null;
      if (this.#available < PREFIX_BYTES + length) return records;
      records.push(this.#take(PREFIX_BYTES + length).subarray(PREFIX_BYTES));
    }
  }

  #peekLength(): number {
    while ((this.#chunks[0]?.byteLength ?? PREFIX_BYTES) < PREFIX_BYTES) this.#joinFirstTwo();
    const head = this.#chunks[0] ?? new Uint8Array(PREFIX_BYTES);
    return new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
  }

  #joinFirstTwo(): void {
    const [first, second] = this.#chunks;
    if (first === undefined || second === undefined) return;
    this.#chunks.splice(0, 2, Buffer.concat([first, second]));
  }

  #take(count: number): Uint8Array {
    this.#available -= count;
    const head = this.#chunks[0];
    if (head !== undefined && head.byteLength >= count) {
      if (head.byteLength === count) this.#chunks.shift();
      else this.#chunks[0] = head.subarray(count);
      return head.subarray(0, count);
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.byteLength > count ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }
}
