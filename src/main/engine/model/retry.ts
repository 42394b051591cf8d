import type { Clock, Random } from '../ports';
import { ABORTED } from './errors';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';

/** SPEC C7. Milliseconds. */
export const RETRY_BASE_MS = 500;
export const RETRY_CAP_MS = 32_000;
export const RETRY_JITTER = 0.25;
/** Tries of one request, the first included. */
export const MAX_ATTEMPTS = 10;
/** Tries at a host that has never answered: a wrong address should be told soon. */
export const UNREACHABLE_ATTEMPTS = 3;

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly maxAttempts?: number;
  /** Gives up after this many `overloaded` in a row, so that another model can take over. Default: never. */
  readonly maxOverloaded?: number;
}

/**
 * Tries a request again when that may help and is safe. Content streamed before a failure is voided first;
 * once a tool use of the answer was finished nothing is tried again, because it may already run.
 */
export function withRetry(inner: ModelClient, options: RetryOptions): ModelClient {
  let reached = false;
  return {
    stream: (request, signal) =>
      tryAll(inner, options, request, signal, {
        get: () => reached,
        set: () => {
          reached = true;
        },
      }),
  };
}

/** How long to wait before try `attempt + 1`, when try `attempt` (from 1) failed. Milliseconds. */
export function retryDelay(attempt: number, error: ModelError, random: Random): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  const base = Math.min(RETRY_BASE_MS * 2 ** (attempt - 1), RETRY_CAP_MS);
  return Math.round(base * (1 + RETRY_JITTER * random()));
}

interface Reached {
  readonly get: () => boolean;
  readonly set: () => void;
}

async function* tryAll(
  inner: ModelClient,
  options: RetryOptions,
  request: ModelRequest,
  signal: AbortSignal,
  reached: Reached,
): AsyncGenerator<ModelEvent> {
  const maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
  let overloaded = 0;
  for (let attempt = 1; ; attempt += 1) {
    const failure = yield* tryOnce(inner, request, signal);
    if (!failure?.error.unreachable) reached.set();
    if (failure === null) return;
    const { error, messageId, toolFinished } = failure;
    overloaded = error.kind === 'overloaded' ? overloaded + 1 : 0;
    const limit = error.unreachable && !reached.get() ? UNREACHABLE_ATTEMPTS : maxAttempts;
    const hopeless =
      !error.retryable ||
      toolFinished ||
      attempt >= limit ||
      overloaded >= (options.maxOverloaded ?? Number.POSITIVE_INFINITY);
    if (hopeless || signal.aborted) return yield { type: 'failed', error };
    if (messageId !== null) yield { type: 'message_voided', messageId, reason: error.message };
    const delayMs = retryDelay(attempt, error, options.random);
    yield {
      type: 'retry_waiting',
      attempt: attempt + 1,
      maxAttempts: limit,
      delayMs,
      reason: error.message,
    };
    await options.clock.sleep(delayMs, signal);
    yield { type: 'retry_ended' };
    if (signal.aborted) return yield { type: 'failed', error: ABORTED };
  }
}

/** What is known of a try that failed. */
interface Failure {
  readonly error: ModelError;
  readonly messageId: string | null;
  readonly toolFinished: boolean;
}

/** Passes one try on, its failure held back. Null: it ended well. */
async function* tryOnce(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Failure | null> {
  let messageId: string | null = null;
  let toolFinished = false;
  for await (const event of inner.stream(request, signal)) {
    if (event.type === 'failed') return { error: event.error, messageId, toolFinished };
    if (event.type === 'message_started') messageId = event.messageId;
    if (event.type === 'message_voided') messageId = null;
    if (event.type === 'block_finished' && event.block.type === 'tool_use') toolFinished = true;
    yield event;
  }
  return null;
}
