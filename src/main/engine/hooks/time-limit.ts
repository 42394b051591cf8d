import type { HookSetting } from '../../../shared/hooks';
import type { Clock } from '../ports';

const SECOND = 1_000;
/** Time a hook has when the settings name none (docs/hooks.md). Milliseconds. */
const USUAL_MS = 600 * SECOND;
const SHORT_MS = 30 * SECOND;
const OF_AGENTS_MS = 60 * SECOND;
/** Text is held back so long. */
const OF_DISPLAY_MS = 10 * SECOND;
const AT_THE_END_MS = 1.5 * SECOND;
/** The end of a session waits no longer than this, whatever a hook asks for. Milliseconds. */
const LONGEST_AT_THE_END_MS = 60 * SECOND;

/** Returns the time a hook has, in milliseconds; null: as long as its session, because nobody waits for it. */
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
  if (event === 'UserPromptSubmit' || type === 'prompt') return SHORT_MS;
  if (type === 'agent') return OF_AGENTS_MS;
  return event === 'MessageDisplay' ? OF_DISPLAY_MS : USUAL_MS;
}

/** A signal that aborts when the time is up, or with another one. `stop` ends the waiting. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Starts anew from now, with another time (null: none) and another signal in place of those before. */
  restart(ms: number | null, signal: AbortSignal): void;
  /** Returns the time that was up, in milliseconds; null when it is not, or something else came first. */
  exceeded(): number | null;
  stop(): void;
}

/** Starts a time limit. `ms` null: only the signal counts. */
export function startLimit(ms: number | null, clock: Clock, signal: AbortSignal): Limit {
  const over = new AbortController();
  let waiting = new AbortController();
  let exceeded: number | null = null;

  const start = (limitMs: number | null, outer: AbortSignal) => {
    waiting.abort();
    waiting = new AbortController();
    const stopped = waiting.signal;
    if (outer.aborted) return over.abort();
    outer.addEventListener('abort', () => over.abort(), { once: true, signal: stopped });
    if (limitMs === null) return;
    // A sleep never rejects; `stop` ends it.
    clock.sleep(limitMs, stopped).then(() => {
      if (stopped.aborted || over.signal.aborted) return;
      exceeded = limitMs;
      over.abort();
    });
  };
  start(ms, signal);
  return {
    signal: over.signal,
    restart: start,
    exceeded: () => exceeded,
    stop: () => waiting.abort(),
  };
}
