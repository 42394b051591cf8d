import type { Clock, Random } from '../ports';
import { ABORTED, failureName } from './errors';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { type Passage, through } from './through';

/** Waits between tries (docs/spec.md C7). Milliseconds. */
const RETRY_BASE_MS = 500;
const RETRY_CAP_MS = 32_000;
const RETRY_JITTER = 0.25;
/** The tries of one request, the first included. */
const MAX_ATTEMPTS = 10;
/** The tries at a host that has never answered: a wrong address should be told soon. */
const UNREACHABLE_ATTEMPTS = 3;
/** The tries when the line falls silent each time: every one takes minutes. */
const STALLED_ATTEMPTS = 3;
/** Unattended: the longest wait, and how often its rest is told meanwhile. Milliseconds. */
const UNATTENDED_CAP_MS = 300_000;
const HEARTBEAT_MS = 30_000;
/** Unattended: the tries of one request; with waits of five minutes more than three days. */
const UNATTENDED_ATTEMPTS = 1000;

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly maxAttempts?: number;
  /** Gives up after this many `overloaded` in a row, so that another model can take over. Default: never. */
  readonly maxOverloaded?: number;
  /** Gives up at once when the server asks for a longer wait, so that another provider can take over. Milliseconds. */
  readonly maxAskedWaitMs?: number;
  /** Keeps trying for days, with a sign of life every {@link HEARTBEAT_MS}: no user waits for the answer. */
  readonly unattended?: boolean;
}

/**
 * Tries a request again when that may help and is safe, and voids the content streamed before the failure. Tries nothing
 * again once a tool use of the answer was finished, because it may already run.
 */
export function withRetry(inner: ModelClient, options: RetryOptions): ModelClient {
  const host: Host = { reached: false };
  return {
    stream: (request, signal) => {
      const once = (failed: (failure: Failure) => Passage) =>
        tryOnce(inner.stream(request, signal), host, failed);
      return once((failure) => tryAgain(once, failure, { ...options, host }, request, signal));
    },
  };
}

/** Returns the wait before try `attempt + 1`, when try `attempt` (from 1) failed. Milliseconds. */
export function retryDelay(
  attempt: number,
  error: ModelError,
  random: Random,
  capMs = RETRY_CAP_MS,
): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  const base = Math.min(RETRY_BASE_MS * 2 ** Math.min(attempt - 1, 20), capMs);
  return Math.round(base * (1 + RETRY_JITTER * random()));
}

/** The state of the other end. */
interface Host {
  /** It has answered something since the start. */
  reached: boolean;
}

/** Tries again after each failure for as long as that may help. `failure` is that of the first try. */
async function* tryAgain(
  once: (failed: (failure: Failure) => Passage) => AsyncIterable<ModelEvent>,
  failure: Failure,
  options: RetryOptions & { readonly host: Host },
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let last: Failure | null = failure;
  let overloaded = 0;
  for (let attempt = 1; last !== null; attempt += 1) {
    const { error, messageId, toolFinished }: Failure = last;
    overloaded = error.kind === 'overloaded' ? overloaded + 1 : 0;
    const maxAttempts = attemptsFor(error, options, options.host.reached);
    const hopeless =
      !error.retryable ||
      toolFinished ||
      attempt >= maxAttempts ||
      overloaded >= (options.maxOverloaded ?? Number.POSITIVE_INFINITY) ||
      (error.retryAfterMs ?? 0) > (options.maxAskedWaitMs ?? Number.POSITIVE_INFINITY);
    if (hopeless || signal.aborted) return yield { type: 'failed', error };
    if (messageId !== null) yield { type: 'message_voided', messageId, reason: error.message };
    const capMs = options.unattended ? UNATTENDED_CAP_MS : RETRY_CAP_MS;
    const delayMs = retryDelay(attempt, error, options.random, capMs);
    const { message: reason, kind, status } = error;
    const why = { reason, error: failureName(kind), ...(status === undefined ? {} : { status }) };
    const pause = request.pause ?? options.clock.sleep;
    yield* wait(
      { attempt: attempt + 1, maxAttempts, delayMs, ...why },
      { ...options, pause },
      signal,
    );
    if (signal.aborted) return yield { type: 'failed', error: ABORTED };
    last = null;
    yield* once((next) => {
      last = next;
      return [];
    });
  }
}

/** Returns how often a request that fails like this may be tried. */
function attemptsFor(error: ModelError, options: RetryOptions, reached: boolean): number {
  const usual = options.unattended ? UNATTENDED_ATTEMPTS : (options.maxAttempts ?? MAX_ATTEMPTS);
  if (error.unreachable && !reached) return Math.min(usual, UNREACHABLE_ATTEMPTS);
  if (error.kind === 'stalled' && !options.unattended) return Math.min(usual, STALLED_ATTEMPTS);
  return usual;
}

/** Waits once; tells when the wait begins and ends, and unattended in between. */
async function* wait(
  facts: Omit<Extract<ModelEvent, { type: 'retry_waiting' }>, 'type' | 'heartbeat'>,
  { clock, pause, unattended = false }: RetryOptions & { readonly pause: Clock['sleep'] },
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const until = clock.now() + facts.delayMs;
  yield { type: 'retry_waiting', ...facts };
  for (let left = facts.delayMs; left > 0 && !signal.aborted; left = until - clock.now()) {
    if (left < facts.delayMs)
      yield { type: 'retry_waiting', ...facts, delayMs: left, heartbeat: true };
    await pause(unattended ? Math.min(left, HEARTBEAT_MS) : left, signal);
    if (!unattended) break;
  }
  yield { type: 'retry_ended' };
}

/** A try that failed. */
interface Failure {
  readonly error: ModelError;
  readonly messageId: string | null;
  readonly toolFinished: boolean;
}

/** Passes one try on; `failed` returns what replaces its failure. */
function tryOnce(
  events: AsyncIterable<ModelEvent>,
  host: Host,
  failed: (failure: Failure) => Passage,
): AsyncIterable<ModelEvent> {
  let messageId: string | null = null;
  let toolFinished = false;
  return through(events, (event) => {
    if (event.type === 'failed') {
      host.reached ||= !event.error.unreachable;
      return failed({ error: event.error, messageId, toolFinished });
    }
    if (event.type === 'message_started') {
      host.reached = true;
      messageId = event.messageId;
    }
    if (event.type === 'message_voided') messageId = null;
    if (event.type === 'block_finished' && event.block.type === 'tool_use') toolFinished = true;
    return event;
  });
}

/**
 * Sends a request once more after a refused key (401), with credentials fetched again (docs/spec.md C7); never once an
 * answer has begun. `refresh` resolves to false when there are no others.
 */
export function withCredentialRefresh(
  inner: ModelClient,
  refresh: (signal: AbortSignal) => Promise<boolean>,
): ModelClient {
  async function* refreshed(
    refusal: ModelEvent,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    if (await refresh(signal)) yield* inner.stream(request, signal);
    else yield refusal;
  }
  return {
    stream: (request, signal) => {
      let began = false;
      return through(inner.stream(request, signal), (event) => {
        if (event.type === 'message_started') began = true;
        const refused = event.type === 'failed' && event.error.status === 401;
        return refused && !began && !signal.aborted ? refreshed(event, request, signal) : event;
      });
    },
  };
}

/** Waits that the user can cut short. */
export interface Pause {
  /** Waits so long (milliseconds), until it is hurried, or until the signal aborts. Never fails. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the wait that goes on; false when there is none. */
  readonly hurry: () => boolean;
}

/** Creates a pause; at most one wait goes on at a time. */
export function createPause(clock: Pick<Clock, 'sleep'>): Pause {
  let current: AbortController | null = null;
  return {
    wait: async (ms, signal) => {
      const hurried = new AbortController();
      current = hurried;
      await clock.sleep(ms, AbortSignal.any([signal, hurried.signal]));
      if (current === hurried) current = null;
    },
    hurry: () => {
      current?.abort();
      return current !== null;
    },
  };
}
