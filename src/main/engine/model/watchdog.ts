import type { Clock } from '../ports';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';

/** The longest silence of a stream (docs/spec.md C6, `LATHE_STREAM_IDLE_MS`). Milliseconds. */
const STREAM_IDLE_MS = 30_000;
/** The longest time with signs of life but no content (docs/spec.md C6). Milliseconds. */
const PINGS_ONLY_MS = 180_000;
/** The factor by which an answer in one piece may be silent longer than a stream: nothing shows its progress. */
const WHOLE_ANSWER_FACTOR = 4;

export interface WatchdogOptions {
  readonly clock: Clock;
  /** Default: {@link STREAM_IDLE_MS}; 0 turns the watch off. */
  readonly idleMs?: number;
}

/**
 * Ends a request that fell silent: tells half-way that it stalls, then aborts it and fails as `stalled`. Counts only the
 * time of waiting for an event, so a slow reader is no stall.
 */
export function withWatchdog(inner: ModelClient, options: WatchdogOptions): ModelClient {
  const watch = options.idleMs === 0 ? unwatched : watched;
  return { stream: (request, signal) => watch(inner, options, request, signal) };
}

async function* unwatched(
  inner: ModelClient,
  _: WatchdogOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for await (const event of inner.stream(request, signal)) if (event.type !== 'alive') yield event;
}

/** The time since anything came, and since content came. Milliseconds. */
export interface Silence {
  readonly anyMs: number;
  readonly contentMs: number;
}

export interface SilenceLimits {
  readonly idleMs: number;
  readonly pingsOnlyMs: number;
}

/** Judges a silence, and tells when to look again at the latest (milliseconds from now). Pure. */
export function judgeSilence(
  silence: Silence,
  limits: SilenceLimits,
): { readonly state: 'fine' | 'warn' | 'stalled'; readonly nextMs: number } {
  const idle = silence.anyMs / limits.idleMs;
  const pings = silence.contentMs / limits.pingsOnlyMs;
  const worst = Math.max(idle, pings);
  if (worst >= 1) return { state: 'stalled', nextMs: limits.idleMs };
  const goal = worst >= 0.5 ? 1 : 0.5;
  const nextMs = Math.min(
    limits.idleMs * goal - silence.anyMs,
    limits.pingsOnlyMs * goal - silence.contentMs,
  );
  return { state: worst >= 0.5 ? 'warn' : 'fine', nextMs: Math.max(1, nextMs) };
}

const TICK = Symbol('tick');

/** The reason of the abort, which is never read: a ready one saves making an error, with its stack, for every request. */
const OVER = 'over';

async function* watched(
  inner: ModelClient,
  { clock, idleMs = STREAM_IDLE_MS }: WatchdogOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const longestMs = request.stream === false ? idleMs * WHOLE_ANSWER_FACTOR : idleMs;
  const limits: SilenceLimits = {
    idleMs: longestMs,
    pingsOnlyMs: Math.max(PINGS_ONLY_MS, longestMs),
  };
  const abort = new AbortController();
  const stop = () => abort.abort();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const over = new AbortController();
  const events = inner.stream(request, abort.signal)[Symbol.asyncIterator]();
  let anyAt = clock.now();
  let contentAt = anyAt;
  let warned = false;
  let stalled: ModelError | null = null;
  let ended = false;
  let wake: ((tick: typeof TICK) => void) | null = null;

  const silence = (): Silence => {
    const now = clock.now();
    return { anyMs: now - anyAt, contentMs: now - contentAt };
  };
  const keepWatch = async () => {
    while (!over.signal.aborted && stalled === null) {
      await clock.sleep(judgeSilence(silence(), limits).nextMs, over.signal);
      wake?.(TICK);
      await Promise.resolve();
    }
  };
  const watch = keepWatch();
  try {
    let next = events.next();
    for (;;) {
      const step = await new Promise<IteratorResult<ModelEvent> | typeof TICK>(
        (resolve, reject) => {
          wake = resolve;
          next.then(resolve, reject);
        },
      );
      wake = null;
      if (step === TICK) {
        const { state } = judgeSilence(silence(), limits);
        if (state === 'warn' && !warned) {
          warned = true;
          yield { type: 'stalled', silentMs: silentFor(silence(), limits) };
        }
        if (state === 'stalled' && stalled === null) {
          stalled = stallError(silence(), limits);
          stop();
        }
        continue;
      }
      ended = step.done === true;
      if (step.done) return;
      const event = step.value;
      if (event.type === 'failed' && stalled !== null) yield { type: 'failed', error: stalled };
      else if (event.type !== 'alive') yield event;
      anyAt = clock.now();
      if (event.type !== 'alive' || event.content) {
        contentAt = anyAt;
        warned = false;
      }
      next = events.next();
    }
  } finally {
    over.abort(OVER);
    signal.removeEventListener('abort', stop);
    if (!ended) stop();
    await watch;
    await events.return?.();
  }
}

/** Returns the silence that counts: of the whole line, else of the answer. */
const silentFor = ({ anyMs, contentMs }: Silence, limits: SilenceLimits): number =>
  anyMs >= limits.idleMs / 2 ? anyMs : contentMs;

/** Rounds to whole seconds, or to tenths below one. */
const seconds = (ms: number): number =>
  ms < 1000 ? Math.max(Math.round(ms / 100) / 10, 0.1) : Math.round(ms / 1000);

function stallError({ anyMs, contentMs }: Silence, limits: SilenceLimits): ModelError {
  const message =
    anyMs >= limits.idleMs
      ? `The model sent nothing for ${seconds(anyMs)} s.`
      : `The model only kept the line open for ${seconds(contentMs)} s.`;
  return { kind: 'stalled', message, retryable: true };
}
