import { EventEmitter } from 'node:events';

/** The main side of a port: messages wait until `start`, as in Electron. */
export class PortDouble extends EventEmitter {
  #waiting: unknown[] | null = [];
  closed = false;
  constructor(private readonly toPage: (data: unknown) => void) {
    super();
  }
  start(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const data of waiting) this.emit('message', { data, ports: [] });
  }
  /** The page sent something. */
  receive(data: unknown): void {
    if (this.closed) return;
    if (this.#waiting === null) this.emit('message', { data, ports: [] });
    else this.#waiting.push(data);
  }
  postMessage(data: unknown): void {
    // Structured clone takes all of the memory behind a view along.
    if (data instanceof Uint8Array && data.byteLength !== data.buffer.byteLength)
      throw new Error(`A view of ${data.byteLength} bytes would send ${data.buffer.byteLength}.`);
    if (!this.closed) this.toPage(structuredClone(data));
  }
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit('close');
  }
}

/** What crosses the bridge to the browser: JSON, with bytes in base64. */
export type Wire = { readonly bytes: string } | { readonly value: unknown };

export const toWire = (data: unknown): Wire =>
  data instanceof Uint8Array ? { bytes: Buffer.from(data).toString('base64') } : { value: data };

export const fromWire = (wire: Wire): unknown =>
  'bytes' in wire ? new Uint8Array(Buffer.from(wire.bytes, 'base64')) : wire.value;
