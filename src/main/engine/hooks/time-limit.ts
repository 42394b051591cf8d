import type { HookSetting } from '../../../shared/hooks';
import type { Clock } from '../ports';

const SECOND = 1_000;
/** Time a hook has when the settings name none (docs/hooks.md). Milliseconds. */
const USUAL_MS = 600 * SECOND;
const SHORT_MS = 30 * SECOND;
const AT_THE_END_MS = 1.5 * SECOND;
/** The end of a session waits no longer than this, whatever a hook asks for. Milliseconds. */
const LONGEST_AT_THE_END_MS = 60 * SECOND;

/** How long a hook may take, in milliseconds; null: as long as its session, because nobody waits for it. */
export function timeLimit({
  event,
  type,
  timeoutMs,
  async,
  asyncRewake,
}: Pick<HookSetting, 'event' | 'type' | 'timeoutMs' | 'async' | 'asyncRewake'>): number | null {
  if (async && !asyncRewake) return null;
  if (event === 'SessionEnd') return Math.min(timeoutMs ?? AT_THE_END_MS, LONGEST_AT_THE_END_MS);
  if (timeoutMs !== undefined) return timeoutMs;
  return event === 'UserPromptSubmit' || type === 'prompt' ? SHORT_MS : USUAL_MS;
}

/** A signal that aborts when the time is up, or with another one. `stop` ends the waiting. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Whether it was the time that ended it. */
  isOver(): boolean;
  stop(): void;
}

/** Starts a time limit. */
export function startLimit(ms: number, clock: Clock, signal: AbortSignal): Limit {
  const over = new AbortController();
  const done = new AbortController();
  // A sleep never rejects; `stop` ends it.
  clock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) over.abort();
  });
  return {
    signal: AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted && !signal.aborted,
    stop: () => done.abort(),
  };
}
