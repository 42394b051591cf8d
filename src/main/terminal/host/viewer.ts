import {
  type ExitPayload,
  FrameKind,
  jsonPayload,
  sizePayload,
} from '../../../shared/terminal-wire';
import type { Snapshot } from './screen-mirror';
import {
  admitData,
  attachedFlow,
  type FlowInput,
  isReplayDue,
  stepFlow,
  type ViewerFlow,
} from './viewer-flow';

/** The way to one viewer. */
export interface ViewerPort {
  send(kind: FrameKind, payload: Uint8Array): void;
  /** Sends a large frame as soon as the way is free enough; resolves when it is sent, or no longer wanted. */
  sendLarge(kind: FrameKind, payload: Uint8Array, wanted: () => boolean): Promise<void>;
}

/** One attached pane: sends it the screen, then the output, no faster than it acknowledges. */
export class Viewer {
  readonly #port: ViewerPort;
  readonly #picture: () => Promise<Snapshot>;
  #flow: ViewerFlow = attachedFlow;
  #queue: Buffer[] = [];
  #exit: ExitPayload | null = null;
  #closed = false;

  /** `picture` gives the screen as of all output so far; what comes later goes through {@link data}. */
  constructor(port: ViewerPort, picture: () => Promise<Snapshot>) {
    this.#port = port;
    this.#picture = picture;
  }

  /** Whether input and sizes from this viewer count: not while a picture is on its way. */
  get listening(): boolean {
    return this.#flow.phase !== 'replaying';
  }

  /** Whether output waits because too much is unacknowledged. */
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

  /** What the viewer shows is no longer the screen (its size changed): send a new picture soon. */
  outdated(): Promise<void> {
    return this.#advance({ type: 'outdated' });
  }

  /** The terminal has ended; told to the viewer after the last output. */
  ended(exit: ExitPayload): void {
    this.#exit = exit;
    this.#tellExit();
  }

  /** Sends the picture, then whatever waited for it. Also the first thing after attaching. */
  async replay(): Promise<void> {
    // First the picture: taking it passes on what was being batched, which is part of it.
    const picture = this.#picture();
    this.#flow = stepFlow(this.#flow, { type: 'replay_started' });
    this.#queue = [];
    const { cols, rows, screen } = await picture;
    const payload = Buffer.concat([sizePayload(cols, rows), Buffer.from(screen)]);
    await this.#port.sendLarge(FrameKind.replay, payload, () => !this.#closed);
    await this.#advance({ type: 'replay_sent' });
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
