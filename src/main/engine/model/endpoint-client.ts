import type { Usage } from '../../../shared/message';
import type { Clock } from '../ports';
import { ABORTED, classifyError, type ErrorContext, errorOfType, GARBLED } from './errors';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { requestBody } from './request-body';
import { RequestTiming } from './request-timing';
import type { Transport } from './sdk';
import type { RawEvent } from './server-sent-events';
import {
  endOfStream,
  IDLE,
  reduceStream,
  type StreamEvent,
  type StreamState,
} from './stream-reducer';
import { eventsOfWhole } from './whole-answer';

/** One provider as the rest of the stack sees it. */
export interface EndpointOptions {
  readonly transport: Transport;
  /** Where the requests go, for people: `api.anthropic.com`, `Amazon Bedrock`. */
  readonly host: string;
  /** What to do when the key is refused, where it is not the Messages API's own. */
  readonly fixKey?: string;
  /** What must never stand in an error's words. */
  readonly secrets: readonly string[];
  /** Why no request can be sent at all, e.g. without a key; null when it can. */
  readonly missing: ModelError | null;
  /** The API may drop thinking whose prefix changed (see `request-body`). */
  readonly dropStaleThinking: boolean;
  /** The API may be asked why its prompt cache was missed. */
  readonly diagnoseCache: boolean;
  /** Whether `task_budget` may be sent. */
  readonly taskBudget: boolean;
  /** The provider's name of a model. */
  readonly modelId: (model: string) => string;
  readonly clock: Clock;
  /** USD for the tokens of one request. */
  readonly price: (usage: Usage, model: string) => number;
}

/** A client for one endpoint: one request, one answer, no retries. See `create-client` for the whole stack. */
export function createEndpointClient(options: EndpointOptions): ModelClient {
  let count = 0;
  return {
    stream: (request, signal) => {
      count += 1;
      return answer(options, count, request, signal);
    },
  };
}

async function* answer(
  options: EndpointOptions,
  number: number,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) return yield { type: 'failed', error: ABORTED };
  if (options.missing !== null) return yield { type: 'failed', error: options.missing };
  const { clock } = options;
  const names = { messageId: `msg_local_${clock.now()}_${number}`, model: request.model };
  const context = (): ErrorContext => ({
    host: options.host,
    model: request.model,
    secrets: options.secrets,
    ...(options.fixKey === undefined ? {} : { fixKey: options.fixKey }),
    now: clock.now(),
  });
  const timing = new RequestTiming(clock, request.model);
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener('abort', stop, { once: true });
  let state = IDLE;
  let failure: ModelError | null = null;
  try {
    for await (const read of await send(options, request, abort.signal)) {
      const told: ModelEvent[] = [];
      for (const raw of read) {
        if (raw.data === '') continue;
        const step = reduceStream(state, parsed(raw), names);
        state = step.state;
        for (const event of step.events) {
          const finished = finish(event, options, timing, context);
          if (finished.type === 'failed') failure = finished.error;
          else addMerged(told, finished);
        }
        if (state.phase === 'complete') break;
      }
      for (const event of told) yield event;
      if (state.phase === 'complete') break;
    }
    if (state.phase !== 'complete') failure = endFailure(state);
  } catch (problem) {
    failure = classifyError(problem, context());
  } finally {
    signal.removeEventListener('abort', stop);
    // A whole answer is not stopped: that would cost its connection, and the next request a new one.
    if (state.phase !== 'complete') stop();
  }
  if (failure === null) return;
  yield* spent(state, options, timing);
  const error = signal.aborted ? ABORTED : failure;
  yield { type: 'failed', error: isMidway(state, error) ? { ...error, midway: true } : error };
}

/** A stream's events, or those a whole answer would have had. */
async function send(
  options: EndpointOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly RawEvent[]> | Iterable<readonly RawEvent[]>> {
  const body = requestBody({ ...request, model: options.modelId(request.model) }, options);
  const answer = await options.transport.send(body, signal);
  return answer.kind === 'events' ? answer.events : [[...eventsOfWhole(answer.answer)]];
}

/** Pieces of one block that came with one read go on as one: each piece on its own would cost every layer above a turn. */
function addMerged(told: ModelEvent[], event: ModelEvent): void {
  const last = told.at(-1);
  const joins =
    last?.type === 'block_delta' && event.type === 'block_delta' && last.index === event.index;
  if (joins) told[told.length - 1] = { ...last, text: last.text + event.text };
  else told.push(event);
}

/** An event whose data is no JSON cannot be trusted, what follows it neither; half of the last one says nothing. */
function parsed(raw: RawEvent): unknown {
  try {
    return JSON.parse(raw.data);
  } catch {
    if (raw.unfinished) return null;
    return { type: 'error', error: { type: GARBLED, message: 'an event was no JSON' } };
  }
}

const endFailure = (state: StreamState): ModelError | null => {
  const [last] = endOfStream(state);
  return last?.type === 'failed' ? last.error : null;
};

/** The connection broke after the answer had begun. */
const isMidway = (state: StreamState, error: ModelError): boolean =>
  error.kind === 'network' && state.phase !== 'idle';

/** What an answer that did not come to its end has cost so far. */
function* spent(
  { usage }: StreamState,
  options: EndpointOptions,
  timing: RequestTiming,
): Generator<ModelEvent> {
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens;
  if (tokens + usage.cacheWriteTokens === 0) return;
  const { model } = timing;
  yield { type: 'spent', model, usage, costUsd: options.price(usage, model) };
}

/** Adds what the reducer cannot know: price, speed, and words for errors. */
function finish(
  event: StreamEvent,
  options: EndpointOptions,
  timing: RequestTiming,
  context: () => ErrorContext,
): ModelEvent {
  switch (event.type) {
    case 'message_started':
      timing.model = event.model;
      return event;
    case 'block_started':
      timing.content();
      return event;
    case 'stream_error':
      return { type: 'failed', error: errorOfType(event.errorType, event.message, context()) };
    case 'completed': {
      const { type: _, ...rest } = event;
      return {
        type: 'message_finished',
        ...rest,
        costUsd: options.price(event.usage, timing.model),
        ...timing.report(event.usage.outputTokens),
      };
    }
    default:
      return event;
  }
}
