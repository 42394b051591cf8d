import {
  type ExitPayload,
  FLOW,
  FrameKind,
  jsonPayload,
  replayPayload,
} from '../../../shared/terminal-wire';
import type { Snapshot } from './screen-mirror';

/** A viewer with more than this waiting skips to a new picture. Bytes. */
export const STALE_BYTES = 256 * 1024;
/** Output that reaches a viewer line by line however fast it comes: the lines that a terminal keeps. Bytes. */
export const BURST_BYTES = 1024 * 1024;
/** Output that reaches a viewer line by line for ever: more than anybody reads. Bytes a millisecond. */
export const LINE_RATE = 512;
/** Between two pictures for a viewer that skips output. Milliseconds. */
export const PICTURE_MS = 250;
/** Between two of them with all lines above the screen. Milliseconds. */
export const WHOLE_MS = 1_000;

/** Content of a picture: what the screen shows, or also all lines above it. */
export type PictureKind = 'screen' | 'whole';

/**
 * The flow of output to a viewer. `replaying`: a picture is on its way, bytes after it wait. `live`: bytes are sent as they
 * come. `blocked`: too much unacknowledged, bytes wait. `stale`: bytes are left out, and pictures show where the
 * terminal is, until it is calm.
 */
export interface ViewerFlow {
  readonly phase: 'replaying' | 'live' | 'blocked' | 'stale';
  /** Sent and not acknowledged. Bytes. */
  readonly unacked: number;
  /** Waiting to be sent. Bytes. */
  readonly queued: number;
  /** The picture that is on its way is not enough: another one must follow. */
  readonly gap: boolean;
  /** Left out since the last picture was taken. Bytes. */
  readonly missed: number;
  /** May still be sent line by line, as of `countedAt`. Bytes. */
  readonly budget: number;
  readonly countedAt: number;
  /** The time the last picture was taken, or bytes began to be left out. */
  readonly pictureAt: number;
  /** The time the last picture with all lines was taken. */
  readonly wholeAt: number;
}

/** An event in the flow to a viewer. Times are milliseconds of a clock that never goes back. */
export type FlowInput =
  | { readonly type: 'acked'; readonly bytes: number }
  /** One waiting batch was sent. */
  | { readonly type: 'sent'; readonly bytes: number }
  | { readonly type: 'replay_started'; readonly kind: PictureKind; readonly now: number }
  /** One piece of a picture was sent. */
  | { readonly type: 'piece_sent'; readonly bytes: number }
  | { readonly type: 'replay_sent' }
  /** The terminal's size changed under the viewer, or it was cleared. */
  | { readonly type: 'outdated' };

/** The decision about a batch of output. */
export type FlowAct = 'send' | 'queue' | 'drop';

/** Returns the state of a viewer that has just attached. */
export const attachedFlow = (now: number): ViewerFlow => ({
  phase: 'replaying',
  ...{ unacked: 0, queued: 0, gap: false, missed: 0 },
  ...{ budget: BURST_BYTES, countedAt: now },
  ...{ pictureAt: Number.NEGATIVE_INFINITY, wholeAt: Number.NEGATIVE_INFINITY },
});

/**
 * Returns the picture to send to a viewer now, or the time to wait before asking again; null when a picture is not due
 * before the viewer acknowledges, or not at all. Pure.
 */
export function nextPicture(flow: ViewerFlow, now: number): PictureKind | number | null {
  if (flow.phase !== 'stale' || flow.unacked > FLOW.low) return null;
  const elapsed = now - flow.pictureAt;
  if (elapsed < PICTURE_MS) return PICTURE_MS - elapsed;
  if (flow.missed > elapsed * LINE_RATE) return 'screen';
  const wait = flow.wholeAt + WHOLE_MS - now;
  if (wait <= 0) return 'whole';
  return flow.missed > 0 ? 'screen' : wait;
}

/** Decides about a batch of output, and gives the viewer's next state. Pure. */
export function admitData(
  flow: ViewerFlow,
  bytes: number,
  now: number,
): { flow: ViewerFlow; act: FlowAct } {
  if (flow.phase === 'stale' || flow.gap)
    return { flow: { ...flow, missed: flow.missed + bytes }, act: 'drop' };
  const earned = (now - flow.countedAt) * LINE_RATE;
  const budget = Math.min(BURST_BYTES, flow.budget + earned) - bytes;
  const waits = flow.phase !== 'live';
  if (budget < 0 || (waits && flow.queued + bytes > STALE_BYTES))
    return { flow: skip({ ...flow, missed: bytes, pictureAt: now }), act: 'drop' };
  const paid = { ...flow, budget, countedAt: now };
  return waits
    ? { flow: { ...paid, queued: flow.queued + bytes }, act: 'queue' }
    : { flow: hold({ ...paid, unacked: flow.unacked + bytes }), act: 'send' };
}

/** Returns the next state of a viewer. Pure. */
export function stepFlow(flow: ViewerFlow, input: FlowInput): ViewerFlow {
  switch (input.type) {
    case 'acked':
      return onAck(flow, input.bytes);
    case 'sent': {
      const { unacked, queued } = flow;
      return hold({ ...flow, unacked: unacked + input.bytes, queued: queued - input.bytes });
    }
    case 'replay_started':
      return onReplay(flow, input.kind, input.now);
    case 'piece_sent':
      return { ...flow, unacked: flow.unacked + input.bytes };
    case 'replay_sent':
      return flow.gap ? { ...flow, phase: 'stale', gap: false } : hold({ ...flow, phase: 'live' });
    case 'outdated':
      return skip(flow);
  }
}

function onAck(flow: ViewerFlow, bytes: number): ViewerFlow {
  const unacked = Math.max(0, flow.unacked - bytes);
  const isFree = flow.phase === 'blocked' && unacked <= FLOW.low;
  return { ...flow, unacked, phase: isFree ? 'live' : flow.phase };
}

function onReplay(flow: ViewerFlow, kind: PictureKind, now: number): ViewerFlow {
  const begun = { ...flow, phase: 'replaying', queued: 0, missed: 0, pictureAt: now } as const;
  return kind === 'whole'
    ? { ...begun, gap: false, wholeAt: now }
    : // What follows a screen without the lines above it would be wrong as soon as one scrolls back.
      { ...begun, gap: true };
}

/** Gives up what waits: another picture must come. */
const skip = (flow: ViewerFlow): ViewerFlow =>
  flow.phase === 'replaying'
    ? { ...flow, queued: 0, gap: true }
    : { ...flow, queued: 0, phase: 'stale' };

/** Blocks a live viewer that has too much under way. */
const hold = (flow: ViewerFlow): ViewerFlow =>
  flow.unacked > FLOW.high ? { ...flow, phase: 'blocked' } : flow;

/** The way to one viewer. */
export interface ViewerPort {
  send(kind: FrameKind, payload: Uint8Array): void;
  /** Sends a large frame as soon as the way is free enough; resolves when it is sent, or no longer wanted. */
  sendLarge(kind: FrameKind, payload: Uint8Array, wanted: () => boolean): Promise<void>;
  /** Takes an error that must not happen. */
  failed(error: unknown): void;
}

const EMPTY = new Uint8Array();

/** A picture of a terminal, and where in its output the picture was taken. Bytes. */
export interface Picture extends Snapshot {
  readonly offset: number;
}

/** One attached pane: sends it the screen, then the output, no faster than it acknowledges and a user can follow. */
export class Viewer {
  readonly #port: ViewerPort;
  readonly #picture: (kind: PictureKind) => Promise<Picture>;
  #flow: ViewerFlow = attachedFlow(performance.now());
  #queue: Buffer[] = [];
  #exit: ExitPayload | null = null;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;

  /** `picture` gives the screen as of all output so far; what comes later goes through {@link data}. */
  constructor(port: ViewerPort, picture: (kind: PictureKind) => Promise<Picture>) {
    this.#port = port;
    this.#picture = picture;
  }

  /** True while a picture is on its way, which was taken before what the viewer says now. */
  get replaying(): boolean {
    return this.#flow.phase === 'replaying';
  }

  /** True when output waits because too much is unacknowledged. */
  get blocked(): boolean {
    return this.#flow.phase === 'blocked';
  }

  data(batch: Buffer): void {
    const wasStale = this.#flow.phase === 'stale';
    const { flow, act } = admitData(this.#flow, batch.byteLength, performance.now());
    this.#flow = flow;
    if (act === 'send') this.#port.send(FrameKind.data, batch);
    if (act === 'queue') this.#queue.push(batch);
    if (act === 'drop') this.#queue = [];
    if (!wasStale && flow.phase === 'stale') this.#lookLater();
  }

  /** Counts `bytes` as parsed by the viewer. */
  acked(bytes: number): Promise<void> {
    return this.#advance({ type: 'acked', bytes });
  }

  /** Sends a new picture soon, because what the viewer shows is no longer the screen. */
  outdated(): Promise<void> {
    this.#queue = [];
    return this.#advance({ type: 'outdated' });
  }

  /** Tells the viewer that the terminal has ended, after the last output. */
  ended(exit: ExitPayload): void {
    this.#exit = exit;
    this.#tellExit();
  }

  /** Sends a picture in pieces, then whatever waited for it. */
  async replay(kind: PictureKind): Promise<void> {
    // First the picture: taking it passes on what was being batched, which is part of it.
    const picture = this.#picture(kind);
    this.#flow = stepFlow(this.#flow, { type: 'replay_started', kind, now: performance.now() });
    this.#queue = [];
    const { pieces, ...start } = await picture;
    const isWanted = () => !this.#closed;
    await this.#port.sendLarge(FrameKind.replay, replayPayload(start), isWanted);
    for (const piece of pieces) {
      this.#flow = stepFlow(this.#flow, { type: 'piece_sent', bytes: piece.byteLength });
      await this.#port.sendLarge(FrameKind.replayPart, piece, isWanted);
    }
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
    this.#stopTimer();
  }

  async #advance(input: FlowInput): Promise<void> {
    if (this.#closed) return;
    this.#flow = stepFlow(this.#flow, input);
    this.#drain();
    await this.#look();
  }

  /** Sends the picture that is due, or looks again when one may be. */
  async #look(): Promise<void> {
    this.#stopTimer();
    const next = nextPicture(this.#flow, performance.now());
    // The last picture is one for good.
    if (typeof next === 'string') await this.replay(this.#exit === null ? next : 'whole');
    else if (next !== null) this.#lookLater(next);
  }

  #lookLater(ms: number = PICTURE_MS): void {
    this.#stopTimer();
    this.#timer = setTimeout(() => this.#look().catch(this.#port.failed), ms);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #drain(): void {
    while (this.#flow.phase === 'live') {
      const batch = this.#queue.shift();
      if (batch === undefined) break;
      this.#port.send(FrameKind.data, batch);
      this.#flow = stepFlow(this.#flow, { type: 'sent', bytes: batch.byteLength });
    }
    this.#tellExit();
  }

  #tellExit(): void {
    if (this.#exit === null || this.#closed) return;
    const { phase } = this.#flow;
    if (phase === 'replaying' || phase === 'stale' || this.#queue.length > 0) return;
    this.#port.send(FrameKind.exit, jsonPayload(this.#exit));
    this.#exit = null;
  }
}
