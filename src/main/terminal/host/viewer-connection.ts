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
import type { Connection, RecordHandler } from './connection';
import type { TerminalSession } from './terminal-session';
import { Viewer } from './viewer';

/** Panes on one connection. */
const MAX_VIEWERS = 256;

/** The part of the host that viewers need. */
export interface ViewerHost {
  find(terminalId: string): TerminalSession | null;
  failed(error: unknown): void;
}

interface Attached {
  readonly viewer: Viewer;
  readonly session: TerminalSession;
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
    const { viewer, session } = attached;
    if (frame.kind === FrameKind.detach) this.#detach(frame.viewer);
    if (frame.kind === FrameKind.ack) await session.acked(viewer, parseAck(frame.payload));
    if (!viewer.listening) return;
    if (frame.kind === FrameKind.input) session.input(frame.payload);
    if (frame.kind === FrameKind.resize) resize(session, viewer, frame.payload);
    if (frame.kind === FrameKind.clear) session.clear(viewer);
  }

  async #attach({ viewer: number, payload }: Frame): Promise<void> {
    this.#detach(number);
    const request = parseAttach(parseJsonPayload(payload));
    const session = request === null ? null : this.#host.find(request.terminalId);
    if (request === null || session === null || this.#attached.size >= MAX_VIEWERS) {
      this.#send(number, FrameKind.refused, jsonPayload({ message: refusal(request, session) }));
      return;
    }
    const port = {
      send: (kind: FrameKind, bytes: Uint8Array) => this.#send(number, kind, bytes),
      sendLarge: (kind: FrameKind, payload: Uint8Array, wanted: () => boolean) =>
        this.#connection.sendLarge(encodeFrame({ kind, viewer: number, payload }), wanted),
    };
    const viewer = new Viewer(port, () => session.picture());
    this.#attached.set(number, { viewer, session });
    await session.attach(viewer, request);
  }

  #detach(number: number): void {
    const attached = this.#attached.get(number);
    this.#attached.delete(number);
    attached?.session.detach(attached.viewer);
  }

  #send(viewer: number, kind: FrameKind, payload: Uint8Array): void {
    this.#connection.send(encodeFrame({ kind, viewer, payload }));
  }
}

function resize(session: TerminalSession, viewer: Viewer, payload: Uint8Array): void {
  const size = parseSize(payload);
  if (size !== null) session.resize(size.cols, size.rows, viewer);
}

function refusal(request: AttachRequest | null, session: TerminalSession | null): string {
  if (request === null) return 'The request to attach is malformed.';
  return session === null ? 'This terminal is gone.' : 'Too many panes are open in this window.';
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
