import type { Socket } from 'node:net';
import { err, fault, ok, type Result } from '../../../shared/result';
import {
  type AttachRequest,
  decodeFrame,
  encodeFrame,
  type Frame,
  FrameKind,
  jsonPayload,
  parseAck,
  parseJsonPayload,
  parseSize,
} from '../../../shared/terminal-wire';
import {
  type ControlCall,
  encodeRecord,
  type HostEvent,
  MAX_RECORD_TO_HOST,
  parseCall,
  parseJsonRecord,
  RecordReader,
} from '../protocol/control';
import type { HostedTerminal } from './hosted-terminal';
import type { HostedTerminals } from './hosted-terminals';
import { ProgressReporter } from './progress';
import { Viewer } from './viewer';

/** A client that reads so slowly that this much waits for it is disconnected. Bytes. */
export const DROP_BYTES = 8 * 1024 * 1024;
/** Large frames wait until less than this is under way. Bytes. */
const READY_BYTES = 1024 * 1024;

/** The receiver of one connection's records. */
interface RecordHandler {
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

  /** True while the client has much to read: what can wait should. */
  get isBehind(): boolean {
    return this.#socket.writableLength >= READY_BYTES;
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
      while (!this.#socket.destroyed && this.isBehind) await this.#drained();
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

/** The part of the host that a control connection needs. */
interface ControlHost {
  readonly terminals: HostedTerminals;
  /** Tells whether a terminal's owner is another client that is still there. */
  isOther(owner: object | undefined, me: ControlConnection): boolean;
  /** Handles a client's wish to end: the host exits when no other client is there. */
  wantsEnd(me: ControlConnection): void;
  /** Handles that a client leaves for good: the host does not wait for others when nothing runs. */
  leaves(): void;
  left(me: ControlConnection): void;
  failed(error: unknown): void;
}

/** The connection of one main process: its requests, and the events sent to it. */
export class ControlConnection implements RecordHandler {
  readonly #connection: Connection;
  readonly #host: ControlHost;
  readonly #progress: ProgressReporter;

  constructor(connection: Connection, host: ControlHost) {
    this.#connection = connection;
    this.#host = host;
    this.#progress = new ProgressReporter(
      (terminalId) => this.#sendProgress(terminalId),
      () => connection.isBehind,
    );
  }

  record(record: Uint8Array): void {
    const request = parseJsonRecord(record);
    const id = request?.['id'];
    if (request === null || typeof id !== 'number') {
      this.#connection.destroy();
      return;
    }
    this.#answer(id, request['call']).catch(this.#host.failed);
  }

  closed(): void {
    this.#progress.close();
    this.#host.left(this);
  }

  /** Reports output in a terminal, when its progress is watched. */
  progressed(terminalId: string): void {
    this.#progress.progressed(terminalId);
  }

  tell(event: HostEvent): void {
    if (event.event === 'exited') this.#progress.finish(event.info.id);
    this.#connection.sendJson(event);
  }

  async #answer(id: number, input: unknown): Promise<void> {
    const call = parseCall(input);
    const result = call.ok ? await this.#execute(call.value) : call;
    this.#connection.sendJson({ id, ...result });
    if (call.ok && call.value.method === 'shutdown') this.#host.wantsEnd(this);
  }

  async #execute(call: ControlCall): Promise<Result<unknown>> {
    try {
      return await this.#perform(call);
    } catch (error) {
      this.#host.failed(error);
      return err(fault('terminal_host', 'The terminal host failed at this request.'));
    }
  }

  async #perform(call: ControlCall): Promise<Result<unknown>> {
    const { terminals } = this.#host;
    switch (call.method) {
      case 'spawn':
        // As after this process was suspended: its client has said that it was not started.
        return call.until !== undefined && Date.now() > call.until
          ? err(fault('late', 'The request to start it came too late.'))
          : terminals.spawn(call.spec, this);
      case 'kill':
        return ok(await terminals.kill(call.terminalId, call.graceMs));
      case 'list':
        return ok(terminals.list());
      case 'takeWheel':
        terminals.find(call.terminalId)?.takeWheel(call.taken);
        return ok(null);
      case 'text': {
        const terminal = terminals.find(call.terminalId);
        return terminal === null
          ? err(fault('gone', 'There is no such terminal any more.'))
          : ok(await terminal.text());
      }
      case 'pin':
        terminals.find(call.terminalId)?.pin(call.pinned);
        return ok(null);
      case 'rename':
        terminals.find(call.terminalId)?.rename(call.name);
        return ok(null);
      case 'processes':
        return ok(await terminals.processes());
      case 'killProcess':
        return ok(await terminals.killProcess(call.terminalId, call.target, call.graceMs));
      case 'ping':
        return ok(null);
      case 'leave':
        this.#host.leaves();
        return ok(await terminals.endThese(call.terminalIds, call.graceMs));
      case 'dismiss':
        terminals.dismiss(call.terminalId);
        return ok(null);
      case 'watchProgress':
        this.#watchProgress(call.terminalId, call.on);
        return ok(null);
      case 'shutdown':
        return ok(
          await terminals.endThose((owner) => this.#host.isOther(owner, this), call.graceMs),
        );
    }
  }

  #watchProgress(terminalId: string, on: boolean): void {
    if (!on) this.#progress.unwatch(terminalId);
    else if (this.#host.terminals.find(terminalId) !== null) this.#progress.watch(terminalId);
  }

  #sendProgress(terminalId: string): void {
    const progress = this.#host.terminals.find(terminalId)?.progress();
    if (progress !== undefined)
      this.#connection.sendJson({ event: 'progress', terminalId, progress });
  }
}

/** Panes on one connection. */
const MAX_VIEWERS = 256;

/** The part of the host that viewers need. */
interface ViewerHost {
  find(terminalId: string): HostedTerminal | null;
  failed(error: unknown): void;
}

interface Attached {
  readonly viewer: Viewer;
  readonly terminal: HostedTerminal;
}

/** The viewers of one window: their frames in, the terminals' frames out. Malformed frames are ignored. */
export class ViewerConnection implements RecordHandler {
  readonly #connection: Connection;
  readonly #host: ViewerHost;
  readonly #attached = new Map<number, Attached>();

  constructor(connection: Connection, host: ViewerHost) {
    this.#connection = connection;
    this.#host = host;
  }

  record(record: Uint8Array): void {
    const frame = decodeFrame(record);
    if (frame === null) return;
    this.#handle(frame).catch(this.#host.failed);
  }

  closed(): void {
    for (const number of [...this.#attached.keys()]) this.#detach(number);
  }

  async #handle(frame: Frame): Promise<void> {
    if (frame.kind === FrameKind.attach) return this.#attach(frame);
    const attached = this.#attached.get(frame.viewer);
    if (attached === undefined) return;
    const { viewer, terminal } = attached;
    if (frame.kind === FrameKind.detach) this.#detach(frame.viewer);
    if (frame.kind === FrameKind.ack) await terminal.acked(viewer, parseAck(frame.payload));
    if (frame.kind === FrameKind.input) terminal.input(frame.payload);
    if (frame.kind === FrameKind.secret) await terminal.secret(frame.payload);
    if (frame.kind === FrameKind.resize) resize(terminal, viewer, frame.payload);
    if (frame.kind === FrameKind.clear) terminal.clear(viewer);
  }

  /** Attaches a pane. What fails there is told in it: it would wait for its first picture for ever. */
  async #attach(frame: Frame): Promise<void> {
    this.#detach(frame.viewer);
    try {
      await this.#show(frame);
    } catch (error) {
      this.#detach(frame.viewer);
      this.#refuse(frame.viewer, 'Drawing its screen failed. What runs in it is not affected.');
      throw error;
    }
  }

  async #show({ viewer: number, payload }: Frame): Promise<void> {
    const request = parseAttach(parseJsonPayload(payload));
    const terminal = request === null ? null : this.#host.find(request.terminalId);
    if (request === null || terminal === null || this.#attached.size >= MAX_VIEWERS) {
      this.#refuse(number, refusal(request, terminal));
      return;
    }
    const port = {
      send: (kind: FrameKind, bytes: Uint8Array) => this.#send(number, kind, bytes),
      sendLarge: (kind: FrameKind, payload: Uint8Array, wanted: () => boolean) =>
        this.#connection.sendLarge(encodeFrame({ kind, viewer: number, payload }), wanted),
      failed: this.#host.failed,
    };
    const viewer = new Viewer(port, (kind) => terminal.picture(kind));
    this.#attached.set(number, { viewer, terminal });
    await terminal.attach(viewer, request);
  }

  #detach(number: number): void {
    const attached = this.#attached.get(number);
    this.#attached.delete(number);
    attached?.terminal.detach(attached.viewer);
  }

  #refuse(viewer: number, message: string): void {
    this.#send(viewer, FrameKind.refused, jsonPayload({ message }));
  }

  #send(viewer: number, kind: FrameKind, payload: Uint8Array): void {
    this.#connection.send(encodeFrame({ kind, viewer, payload }));
  }
}

function resize(terminal: HostedTerminal, viewer: Viewer, payload: Uint8Array): void {
  const size = parseSize(payload);
  if (size !== null) terminal.resize(size.cols, size.rows, viewer);
}

function refusal(request: AttachRequest | null, terminal: HostedTerminal | null): string {
  if (request === null) return 'The request to attach is malformed.';
  return terminal === null ? 'This terminal is gone.' : 'Too many panes are open in this window.';
}

function parseAttach(value: unknown): AttachRequest | null {
  if (typeof value !== 'object' || value === null) return null;
  const { terminalId, cols, rows, since } = value as Partial<Record<keyof AttachRequest, unknown>>;
  if (typeof terminalId !== 'string') return null;
  return {
    terminalId,
    ...(typeof cols === 'number' && typeof rows === 'number' ? { cols, rows } : {}),
    ...(typeof since === 'number' ? { since } : {}),
  };
}
