import {
  ackPayload,
  decodeFrame,
  type ExitPayload,
  encodeFrame,
  type Frame,
  FrameKind,
  jsonPayload,
  parseJsonPayload,
  parseReplay,
  sizePayload,
} from '../../shared/terminal-wire';
import { reconnectDelayMs } from '../api/keep-connected';
import type { FrameSender, Transport } from '../api/transport';

/** The messages one viewer gets from its terminal. */
export interface ViewerEvents {
  /** The screen begins anew: everything shown so far is replaced. */
  onReplay(size: { cols: number; rows: number }): void;
  /** A piece of the screen. */
  onReplayPart(bytes: Uint8Array): void;
  /** The screen is complete, or nothing was missed; from now on bytes come live. */
  onCaughtUp(): void;
  onData(bytes: Uint8Array): void;
  onExit(exit: ExitPayload): void;
  /** The terminal host does not know the terminal, or let this viewer go. */
  onRefused(reason: string): void;
  onLinked(linked: boolean): void;
}

/**
 * One attached viewer. Input from before the first connection waits for it; what is sent while a connection is lost is
 * dropped, like keys on an unplugged line.
 */
export interface Viewer {
  input(bytes: Uint8Array): void;
  /** A line that the terminal must not show; dropped unless its program reads one. */
  secret(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  ack(byteCount: number): void;
  /** Empties screen and scrollback in the terminal host, too. */
  clear(): void;
  /** Wants no output for now. */
  suspend(): void;
  /** Wants output again, from where it was suspended; does nothing otherwise. */
  resume(): void;
  detach(): void;
}

/** All viewers of this window over one shared connection, opened with the first and reopened when lost. */
export interface FramesLink {
  useTransport(transport: Transport): void;
  /** Opens the connection ahead of the first viewer, which is sure to come. */
  expectViewer(): void;
  attach(terminalId: string, events: ViewerEvents): Viewer;
}

/** Input is cut into frames of at most this many bytes, so that a huge paste passes every host's limit. */
const INPUT_FRAME_BYTES = 32_768;

/** Input that waits for the first connection, at most. Bytes. */
const EARLY_BYTES = 65_536;

interface Attached {
  readonly terminalId: string;
  readonly events: ViewerEvents;
  /** The place in the output that the screen shows; null until it is complete. Bytes. */
  offset: number | null;
  /** The size of the screen; null before there is one. */
  size: { readonly cols: number; readonly rows: number } | null;
  /** The same of a screen that is being sent. */
  replaying: number;
  /** Input from before it was attached; null once it was. */
  early: Uint8Array[] | null;
}

/** Creates the link; `wait` paces the reopening. */
export function createFramesLink(
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): FramesLink {
  const viewers = new Map<number, Attached>();
  let nextViewer = 1;
  let transport: Transport | null = null;
  let sender: FrameSender | null = null;
  let opening = false;
  let isExpecting = false;

  const send = (kind: FrameKind, viewer: number, payload: Uint8Array) =>
    sender?.send(encodeFrame({ kind, viewer, payload }));
  const sendInput = (viewer: number, bytes: Uint8Array) => {
    for (let at = 0; at < bytes.byteLength; at += INPUT_FRAME_BYTES) {
      send(FrameKind.input, viewer, bytes.subarray(at, at + INPUT_FRAME_BYTES));
    }
  };
  const sendAttach = (viewer: number, attached: Attached) => {
    const { terminalId, offset, size, early } = attached;
    const known = offset === null || size === null ? {} : { ...size, since: offset };
    send(FrameKind.attach, viewer, jsonPayload({ terminalId, ...known }));
    attached.early = null;
    for (const bytes of early ?? []) sendInput(viewer, bytes);
  };
  const receive = (bytes: Uint8Array) => {
    const frame = decodeFrame(bytes);
    const attached = frame && viewers.get(frame.viewer);
    if (attached) deliver(attached, frame);
  };
  const lose = () => {
    sender = null;
    for (const { events } of viewers.values()) events.onLinked(false);
  };

  /** Opens the connection while someone needs it; a connection lost later comes back here. */
  const open = async (over: Transport, firstAttempt: number): Promise<void> => {
    const control = new AbortController();
    over.onClosed(() => control.abort());
    for (let attempt = firstAttempt; !control.signal.aborted; attempt += 1) {
      if (attempt > 1) await wait(reconnectDelayMs(attempt - 1), control.signal);
      if (control.signal.aborted) return;
      const opened = await over.openTerminalFrames(receive, () => {
        if (transport !== over) return;
        lose();
        if (!control.signal.aborted) ensureOpen(2);
      });
      if (!opened.ok) continue;
      if (control.signal.aborted) return opened.value.close();
      sender = opened.value;
      for (const [viewer, attached] of viewers) {
        attached.events.onLinked(true);
        sendAttach(viewer, attached);
      }
      return;
    }
  };
  const ensureOpen = (attempt = 1) => {
    const isNeeded = viewers.size > 0 || isExpecting;
    if (transport === null || sender !== null || opening || !isNeeded) return;
    const over = transport;
    opening = true;
    void open(over, attempt).finally(() => {
      opening = false;
      if (transport !== over) ensureOpen();
    });
  };

  return {
    useTransport(next) {
      transport = next;
      sender = null;
      next.onClosed(() => {
        if (transport !== next) return;
        transport = null;
        lose();
      });
      ensureOpen();
    },
    expectViewer() {
      isExpecting = true;
      ensureOpen();
    },
    attach(terminalId, events) {
      isExpecting = false;
      const attached: Attached = {
        terminalId,
        events,
        offset: null,
        size: null,
        replaying: 0,
        early: [],
      };
      let viewer = 0;
      const enter = () => {
        // A number is never used again: frames of before may still be on their way.
        viewer = nextViewer;
        nextViewer += 1;
        viewers.set(viewer, attached);
        if (sender !== null) sendAttach(viewer, attached);
        else ensureOpen();
      };
      const leave = () => {
        if (viewers.delete(viewer)) send(FrameKind.detach, viewer, new Uint8Array());
      };
      if (sender !== null) events.onLinked(true);
      enter();
      return {
        input(bytes) {
          const { early } = attached;
          if (early === null) return sendInput(viewer, bytes);
          const waiting = early.reduce((sum, { byteLength }) => sum + byteLength, 0);
          if (waiting + bytes.byteLength <= EARLY_BYTES) early.push(bytes);
        },
        secret: (bytes) => send(FrameKind.secret, viewer, bytes),
        resize: (cols, rows) => {
          attached.size = { cols, rows };
          send(FrameKind.resize, viewer, sizePayload(cols, rows));
        },
        ack: (byteCount) => send(FrameKind.ack, viewer, ackPayload(byteCount)),
        clear: () => send(FrameKind.clear, viewer, new Uint8Array()),
        suspend: leave,
        resume() {
          if (viewers.has(viewer)) return;
          if (sender === null) events.onLinked(false);
          enter();
        },
        detach: leave,
      };
    },
  };
}

function deliver(attached: Attached, frame: Frame): void {
  const { events } = attached;
  switch (frame.kind) {
    case FrameKind.replay: {
      const start = parseReplay(frame.payload);
      if (start === null) return;
      attached.offset = null;
      attached.replaying = start.offset;
      attached.size = { cols: start.cols, rows: start.rows };
      events.onReplay(start);
      return;
    }
    case FrameKind.replayPart:
      events.onReplayPart(frame.payload);
      return;
    case FrameKind.caughtUp:
      attached.offset ??= attached.replaying;
      events.onCaughtUp();
      return;
    case FrameKind.data:
      if (attached.offset !== null) attached.offset += frame.payload.byteLength;
      events.onData(frame.payload);
      return;
    case FrameKind.exit:
      events.onExit(readExit(parseJsonPayload(frame.payload)));
      return;
    case FrameKind.refused:
      events.onRefused(readReason(parseJsonPayload(frame.payload)));
      return;
    default:
      return;
  }
}

function readExit(value: unknown): ExitPayload {
  if (typeof value !== 'object' || value === null) return { exitCode: null };
  const exitCode =
    'exitCode' in value && typeof value.exitCode === 'number' ? value.exitCode : null;
  return 'signal' in value && typeof value.signal === 'number' && value.signal > 0
    ? { exitCode, signal: value.signal }
    : { exitCode };
}

function readReason(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    if ('message' in value && typeof value.message === 'string') return value.message;
    if ('reason' in value && typeof value.reason === 'string') return value.reason;
  }
  return 'This terminal is no longer available.';
}
