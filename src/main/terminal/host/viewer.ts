import {
  type ExitPayload,
  FLOW,
  FrameKind,
  jsonPayload,
  replayPayload,
} from '../../../shared/terminal-wire';
import type { Snapshot } from './screen-mirror';

/** A viewer with more than this waiting gets the screen anew instead of the bytes it missed. Bytes. */
export const STALE_BYTES = 1024 * 1024;

/**
 * The flow of output to a viewer. `replaying`: a picture of the screen is on its way, bytes after it wait. `live`:
 * bytes are sent as they come. `blocked`: too much unacknowledged, bytes wait. `stale`: too much waited, a new picture is due.
 */
export interface ViewerFlow {
  readonly phase: 'replaying' | 'live' | 'blocked' | 'stale';
  /** Sent and not acknowledged; replays do not count. Bytes. */
  readonly unacked: number;
  /** Waiting to be sent. Bytes. */
  readonly queued: number;
  /** Bytes were left out since the picture was taken. */
  readonly gap: boolean;
}

/** An event in the flow to a viewer. */
export type FlowInput =
  | { readonly type: 'acked'; readonly bytes: number }
  /** One waiting batch was sent. */
  | { readonly type: 'sent'; readonly bytes: number }
  | { readonly type: 'replay_started' }
  | { readonly type: 'replay_sent' }
  /** The terminal's size changed under the viewer. */
  | { readonly type: 'outdated' };

/** The decision about a batch of output. */
export type FlowAct = 'send' | 'queue' | 'drop';

/** A viewer that has just attached. */
export const attachedFlow: ViewerFlow = { phase: 'replaying', unacked: 0, queued: 0, gap: false };

/** Returns whether the viewer must be sent a new picture now: it missed something and has parsed what it had. */
export const isReplayDue = (flow: ViewerFlow): boolean =>
  flow.phase === 'stale' && flow.unacked <= FLOW.low;

/** Decides about a batch of output, and gives the viewer's next state. Pure. */
export function admitData(flow: ViewerFlow, bytes: number): { flow: ViewerFlow; act: FlowAct } {
  if (flow.phase === 'live')
    return { flow: hold({ ...flow, unacked: flow.unacked + bytes }), act: 'send' };
  if (flow.phase === 'stale') return { flow, act: 'drop' };
  const fits = !flow.gap && flow.queued + bytes <= STALE_BYTES;
  if (fits) return { flow: { ...flow, queued: flow.queued + bytes }, act: 'queue' };
  // A replaying viewer keeps what waits: the picture and the bytes right after it still fit together.
  if (flow.phase === 'replaying') return { flow: { ...flow, gap: true }, act: 'drop' };
  return { flow: { ...flow, phase: 'stale', queued: 0, gap: true }, act: 'drop' };
}

/** The next state of a viewer. Pure. */
export function stepFlow(flow: ViewerFlow, input: FlowInput): ViewerFlow {
  switch (input.type) {
    case 'acked':
      return onAck(flow, input.bytes);
    case 'sent':
      return onSent(flow, input.bytes);
    case 'replay_started':
      return attachedFlow;
    case 'replay_sent':
      return settle(flow);
    case 'outdated':
      return flow.phase === 'replaying'
        ? { ...flow, gap: true }
        : { ...flow, phase: 'stale', queued: 0, gap: true };
  }
}

function onAck(flow: ViewerFlow, bytes: number): ViewerFlow {
  if (flow.phase === 'replaying') return flow;
  const acked = { ...flow, unacked: Math.max(0, flow.unacked - bytes) };
  return acked.phase === 'blocked' && acked.unacked <= FLOW.low ? settle(acked) : acked;
}

/** After each batch sent from the queue: on, as long as there is room and something waits. */
function onSent(flow: ViewerFlow, bytes: number): ViewerFlow {
  const sent = hold({ ...flow, unacked: flow.unacked + bytes, queued: flow.queued - bytes });
  return sent.phase === 'live' ? settle(sent) : sent;
}

/** Too much under way: wait, or, when bytes are missing anyway, give up what waits. */
function hold(flow: ViewerFlow): ViewerFlow {
  if (flow.unacked <= FLOW.high) return flow;
  return flow.gap ? { ...flow, phase: 'stale', queued: 0 } : { ...flow, phase: 'blocked' };
}

/** There is room: live. But when bytes are missing and all that still fitted is sent, stale. */
const settle = (flow: ViewerFlow): ViewerFlow => ({
  ...flow,
  phase: flow.gap && flow.queued === 0 ? 'stale' : 'live',
});

/** The way to one viewer. */
export interface ViewerPort {
  send(kind: FrameKind, payload: Uint8Array): void;
  /** Sends a large frame as soon as the way is free enough; resolves when it is sent, or no longer wanted. */
  sendLarge(kind: FrameKind, payload: Uint8Array, wanted: () => boolean): Promise<void>;
}

const EMPTY = new Uint8Array();

/** A picture of a terminal, and where in its output the picture was taken. Bytes. */
export interface Picture extends Snapshot {
  readonly offset: number;
}

/** One attached pane: sends it the screen, then the output, no faster than it acknowledges. */
export class Viewer {
  readonly #port: ViewerPort;
  readonly #picture: () => Promise<Picture>;
  #flow: ViewerFlow = attachedFlow;
  #queue: Buffer[] = [];
  #exit: ExitPayload | null = null;
  #closed = false;

  /** `picture` gives the screen as of all output so far; what comes later goes through {@link data}. */
  constructor(port: ViewerPort, picture: () => Promise<Picture>) {
    this.#port = port;
    this.#picture = picture;
  }

  /** True when input and sizes from this viewer count: not while a picture is on its way. */
  get listening(): boolean {
    return this.#flow.phase !== 'replaying';
  }

  /** True when output waits because too much is unacknowledged. */
  get blocked(): boolean {
    return this.#flow.phase === 'blocked';
  }

  data(batch: Buffer): void {
    const { flow, act } = admitData(this.#flow, batch.byteLength);
    this.#flow = flow;
    if (act === 'send') this.#port.send(FrameKind.data, batch);
    if (act === 'queue') this.#queue.push(batch);
    if (flow.phase === 'stale') this.#queue = [];
  }

  /** `bytes` of data were parsed by the viewer. */
  acked(bytes: number): Promise<void> {
    return this.#advance({ type: 'acked', bytes });
  }

  /** Has a new picture sent soon: what the viewer shows is no longer the screen, because its size changed. */
  outdated(): Promise<void> {
    return this.#advance({ type: 'outdated' });
  }

  /** The terminal has ended; told to the viewer after the last output. */
  ended(exit: ExitPayload): void {
    this.#exit = exit;
    this.#tellExit();
  }

  /** Sends the picture in pieces, then whatever waited for it. */
  async replay(): Promise<void> {
    // First the picture: taking it passes on what was being batched, which is part of it.
    const picture = this.#picture();
    this.#flow = stepFlow(this.#flow, { type: 'replay_started' });
    this.#queue = [];
    const { pieces, ...start } = await picture;
    const isWanted = () => !this.#closed;
    await this.#port.sendLarge(FrameKind.replay, replayPayload(start), isWanted);
    for (const piece of pieces) await this.#port.sendLarge(FrameKind.replayPart, piece, isWanted);
    await this.#port.sendLarge(FrameKind.caughtUp, EMPTY, isWanted);
    await this.#advance({ type: 'replay_sent' });
  }

  /** Goes on where an earlier connection of the same pane ended; `missing` came meanwhile. */
  resume(missing: Buffer): void {
    this.#flow = stepFlow(this.#flow, { type: 'replay_sent' });
    if (missing.byteLength > 0) this.data(missing);
    this.#port.send(FrameKind.caughtUp, EMPTY);
  }

  close(): void {
    this.#closed = true;
    this.#queue = [];
  }

  async #advance(input: FlowInput): Promise<void> {
    if (this.#closed) return;
    this.#flow = stepFlow(this.#flow, input);
    this.#drain();
    if (isReplayDue(this.#flow)) await this.replay();
  }

  #drain(): void {
    while (this.#flow.phase === 'live') {
      const batch = this.#queue.shift();
      if (batch === undefined) break;
      this.#port.send(FrameKind.data, batch);
      this.#flow = stepFlow(this.#flow, { type: 'sent', bytes: batch.byteLength });
    }
    if (this.#flow.phase === 'stale') this.#queue = [];
    this.#tellExit();
  }

  #tellExit(): void {
    if (this.#exit === null || this.#closed) return;
    if (this.#flow.phase !== 'live' || this.#queue.length > 0) return;
    this.#port.send(FrameKind.exit, jsonPayload(this.#exit));
    this.#exit = null;
  }
}
