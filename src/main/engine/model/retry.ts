import type { Clock, Random } from '../ports';
import { ABORTED } from './errors';
import { failureName } from './failure-name';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { type Passage, through } from './through';

/** SPEC C7. Milliseconds. */
export const RETRY_BASE_MS = 500;
export const RETRY_CAP_MS = 32_000;
export const RETRY_JITTER = 0.25;
/** Tries of one request, the first included. */
export const MAX_ATTEMPTS = 10;
/** Tries at a host that has never answered: a wrong address should be told soon. */
export const UNREACHABLE_ATTEMPTS = 3;
/** Tries when the line falls silent each time: every one takes minutes. */
export const STALLED_ATTEMPTS = 3;
/** Unattended: a wait grows to at most this, and while it lasts its rest is told this often. Milliseconds. */
export const UNATTENDED_CAP_MS = 300_000;
export const HEARTBEAT_MS = 30_000;
/** Unattended: tries of one request; with waits of five minutes more than three days. */
export const UNATTENDED_ATTEMPTS = 1000;

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly maxAttempts?: number;
  /** Gives up after this many `overloaded` in a row, so that another model can take over. Default: never. */
  readonly maxOverloaded?: number;
  /** Gives up at once when the server asks for a longer wait, so that another provider can take over. Milliseconds. */
  readonly maxAskedWaitMs?: number;
  /** Nobody waits for the answer: keep trying for days, with a sign of life every {@link HEARTBEAT_MS}. */
  readonly unattended?: boolean;
}

/**
 * Tries a request again when that may help and is safe. Content streamed before a failure is voided first;
 * once a tool use of the answer was finished nothing is tried again, because it may already run.
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

/** How long to wait before try `attempt + 1`, when try `attempt` (from 1) failed. Milliseconds. */
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

/** What is known of the other end. */
interface Host {
  /** It has answered something since the start. */
  reached: boolean;
}

/** Tries anew after each failure for as long as that may help. `failure` is that of the first try. */
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

/** How often a request that fails like this may be tried. */
function attemptsFor(error: ModelError, options: RetryOptions, reached: boolean): number {
  const usual = options.unattended ? UNATTENDED_ATTEMPTS : (options.maxAttempts ?? MAX_ATTEMPTS);
  if (error.unreachable && !reached) return Math.min(usual, UNREACHABLE_ATTEMPTS);
  if (error.kind === 'stalled' && !options.unattended) return Math.min(usual, STALLED_ATTEMPTS);
  return usual;
}

/** One wait: told when it begins and ends, and unattended in between. */
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

/** What is known of a try that failed. */
interface Failure {
  readonly error: ModelError;
  readonly messageId: string | null;
  readonly toolFinished: boolean;
}

/** Passes one try on; `failed` says what becomes of its failure. */
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
