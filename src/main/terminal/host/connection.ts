import type { Socket } from 'node:net';
import { encodeRecord, MAX_RECORD_TO_HOST, RecordReader } from '../protocol/records';

/** A client that reads so slowly that this much waits for it is disconnected. Bytes. */
export const DROP_BYTES = 8 * 1024 * 1024;
/** Large frames wait until less than this is under way. Bytes. */
const READY_BYTES = 1024 * 1024;

/** The receiver of one connection's records. */
export interface RecordHandler {
  record(record: Uint8Array): void;
  /** Called once, whatever the reason. */
  closed(): void;
}

/** One client's connection: records in and out, bounded both ways. */
export class Connection {
  readonly #socket: Socket;
  readonly #reader = new RecordReader(MAX_RECORD_TO_HOST);
  #handler: RecordHandler;
  #large: Promise<void> = Promise.resolve();

  constructor(socket: Socket, handler: RecordHandler) {
    this.#socket = socket;
    this.#handler = handler;
    socket.on('data', (chunk) => this.#onData(chunk));
    // The close that follows every error is what counts.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#handler.closed());
  }

  /** Gives the connection to another handler, from the next record on. */
  handle(handler: RecordHandler): void {
    this.#handler = handler;
  }

  send(payload: Uint8Array): void {
    if (this.#socket.destroyed || !this.#socket.writable) return;
    this.#socket.write(encodeRecord(payload));
    // A replay alone may pass the limit; it is only sent on a connection that is not behind.
    if (this.#socket.writableLength - payload.byteLength > DROP_BYTES) this.#socket.destroy();
  }

  sendJson(value: unknown): void {
    this.send(Buffer.from(JSON.stringify(value)));
  }

  /** Sends a large frame when the client has read what came before; one at a time. Skipped when no longer wanted. */
  sendLarge(payload: Uint8Array, wanted: () => boolean): Promise<void> {
    const send = async () => {
      while (!this.#socket.destroyed && this.#socket.writableLength >= READY_BYTES)
        await this.#drained();
      if (wanted()) this.send(payload);
    };
    this.#large = this.#large.then(send);
    return this.#large;
  }

  /** Sends what is queued, then hangs up. */
  end(): void {
    this.#socket.end(() => this.#socket.destroy());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off('drain', done).off('close', done);
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
    });
  }

  #onData(chunk: Buffer): void {
    const records = this.#reader.push(chunk);
    if (records === null) {
      this.#socket.destroy();
      return;
    }
    for (const record of records) if (!this.#socket.destroyed) this.#handler.record(record);
  }
}
