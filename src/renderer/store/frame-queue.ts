import type { AgentEvent, Stamped } from '../../shared/agent-event';

/** Collects a session's events and hands them on in order: calm ones once per frame, urgent ones at once. */
export interface FrameQueue {
  push(stamped: Stamped): void;
  /** Hands on what has gathered. */
  flush(): void;
  /** Drops what has gathered. */
  clear(): void;
}

/** Calls back before the next paint; gives a function that cancels it. */
export type ScheduleFrame = (callback: () => void) => () => void;

/** The parts of a page that pace frames: its frames, its timers and its clock, in milliseconds. */
export interface FramePlatform {
  requestFrame(callback: () => void): number;
  cancelFrame(frame: number): void;
  /** A timer of no time, set in a frame, runs when that frame is laid out and painted. */
  setTimer(callback: () => void, ms: number): number;
  clearTimer(timer: number): void;
  now(): number;
}

/** After a frame that took a while the next one waits this many times as long, so that most of the time stays free. */
const REST = 4;
/** No frame waits longer than this. Milliseconds. */
const MAX_REST_MS = 100;

/**
 * Creates a schedule of frames that takes at most a share of the page's time, however much each of them costs. While it
 * rests it asks for no frame: one in which nothing changes costs the page too.
 */
export function createPacedSchedule(platform: FramePlatform): ScheduleFrame {
  let notBefore = Number.NEGATIVE_INFINITY;
  return (callback) => {
    let cancel = () => {};
    const next = () => {
      const rest = notBefore - platform.now();
      if (rest <= 0) {
        const frame = platform.requestFrame(draw);
        cancel = () => platform.cancelFrame(frame);
      } else {
        const timer = platform.setTimer(next, rest);
        cancel = () => platform.clearTimer(timer);
      }
    };
    const draw = () => {
      const began = platform.now();
      // The frame before this one may have been drawn after it was asked for.
      if (began < notBefore) return next();
      callback();
      platform.setTimer(() => {
        const ended = platform.now();
        notBefore = ended + Math.min(MAX_REST_MS, (ended - began) * REST);
      }, 0);
    };
    next();
    return () => cancel();
  };
}

/** Longest queue; a full one is delivered at once, because a hidden tab paints no frames. docs/spec.md K1 */
const QUEUE_LIMIT = 1000;

/** Events that may wait for the next frame. Everything else is a result, an error, a question or an end. */
const CALM: ReadonlySet<AgentEvent['type']> = new Set([
  'block_delta',
  'block_started',
  'call_changed',
  'task_changed',
  'context_changed',
  'message_started',
  'stalled',
  'text_shown',
]);

/** Tells whether an event may wait for the next frame; a hook that is asked what is shown runs for every few lines. */
const isCalm = (event: AgentEvent): boolean =>
  CALM.has(event.type) ||
  (event.type === 'hook_started' && event.hook.event === 'MessageDisplay') ||
  (event.type === 'hook_settled' &&
    event.report.event === 'MessageDisplay' &&
    event.report.outcome === 'done');

/** Creates a queue that gives its batches to `deliver`. While `holding()` is true, urgent events wait too. */
export function createFrameQueue(
  deliver: (batch: readonly Stamped[]) => void,
  schedule: ScheduleFrame,
  holding: () => boolean = () => false,
): FrameQueue {
  let queue: Stamped[] = [];
  let cancel: (() => void) | null = null;

  const clear = () => {
    cancel?.();
    cancel = null;
    queue = [];
  };
  const flush = () => {
    const batch = queue;
    clear();
    if (batch.length > 0) deliver(batch);
  };
  return {
    clear,
    flush,
    push(stamped) {
      const last = queue.at(-1);
      const merged = last && mergeDeltas(last, stamped);
      if (merged) queue[queue.length - 1] = merged;
      else queue.push(stamped);
      const urgent = !isCalm(stamped.event) && !holding();
      if (urgent || queue.length >= QUEUE_LIMIT) flush();
      else cancel ??= schedule(flush);
    },
  };
}

/** Merges two deltas of one block; null for any other pair. */
export function mergeDeltas(a: Stamped, b: Stamped): Stamped | null {
  if (a.event.type !== 'block_delta' || b.event.type !== 'block_delta') return null;
  const sameBlock = a.event.messageId === b.event.messageId && a.event.index === b.event.index;
  if (!sameBlock || a.epoch !== b.epoch) return null;
  return { ...b, event: { ...b.event, text: a.event.text + b.event.text } };
}
