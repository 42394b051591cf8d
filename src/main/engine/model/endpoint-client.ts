import type { Usage } from '../../../shared/message';
import type { PlanLimits } from '../../../shared/plan-limits';
import type { Clock } from '../ports';
import { withApiClearing, withoutClearing } from './api-clearing';
import { type CompactionSwitch, withApiCompaction } from './api-compaction';
import {
  ABORTED,
  classifyError,
  type ErrorContext,
  GARBLED,
  refusedError,
  TRUNCATED,
} from './errors';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelRequest,
  RequestTrace,
} from './model-client';
import { quote } from './network-error';
import { readPlanLimits } from './plan-limits';
import { NotAnAnswer } from './read-answer';
import { refusedIn, wordsIn } from './refused';
import { requestBody } from './request-body';
import { AnswerTooLarge, type RawEvent } from './server-sent-events';
import { isObject } from './stream-blocks';
import {
  endOfStream,
  IDLE,
  reduceStream,
  type StreamEvent,
  type StreamState,
} from './stream-reducer';
import type { ProviderTransport, Received } from './transport';

/** The most text, and the most blocks, of one answer: some ten times what 128 000 tokens can be. */
const MAX_ANSWER_CHARS = 8 * 1024 * 1024;
const MAX_ANSWER_BLOCKS = 2_000;
/** The most blocks that are open at once: each piece of any of them costs a look at all. */
const MAX_OPEN_BLOCKS = 100;

/** Returns the price of the tokens of one request to `asked`, which `model` answered. USD. */
export type Price = (usage: Usage, model: string, asked: string) => number;

/** One provider as the rest of the stack sees it. */
export interface EndpointOptions {
  readonly transport: ProviderTransport;
  /** The endpoint's name for the user: `api.anthropic.com`, `Amazon Bedrock`. */
  readonly host: string;
  /** Advice for a refused key, where it is not the Messages API's own. */
  readonly fixKey?: string;
  /** Texts that must never stand in an error's message. */
  readonly secrets: readonly string[];
  /** The reason why no request can be sent at all, e.g. without a key; null when it can. */
  readonly missing: ModelError | null;
  /** The API may drop thinking whose prefix changed (see `request-body`). */
  readonly dropStaleThinking: boolean;
  /** The API may be asked why its prompt cache was missed. */
  readonly diagnoseCache: boolean;
  /** The API may be asked to summarise by itself. */
  readonly compaction: boolean;
  /** Turned off when it refuses that. Default: one of its own. */
  readonly compactionSwitch?: CompactionSwitch | undefined;
  /** The API may be asked to clear old results by itself. */
  readonly clearing: boolean;
  /** True when `task_budget` may be sent. */
  readonly taskBudget: boolean;
  /** Returns the provider's name of a model. */
  readonly modelId: (model: string) => string;
  readonly clock: Clock;
  readonly price: Price;
}

/** Creates a client for one endpoint: one request, one answer, no retries. See `create-client` for the whole stack. */
export function createEndpointClient(options: EndpointOptions): ModelClient {
  let count = 0;
  const ask = (request: ModelRequest, signal: AbortSignal, compaction: boolean) => {
    count += 1;
    return answer({ ...options, compaction }, count, request, signal);
  };
  const client: ModelClient = options.compaction
    ? withApiCompaction(ask, options.compactionSwitch)
    : { stream: (request, signal) => ask(request, signal, false) };
  return options.clearing
    ? withApiClearing(client)
    : { stream: (request, signal) => client.stream(withoutClearing(request), signal) };
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
    now: clock.date(),
  });
  const timing = new RequestTiming(clock, request.model);
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener('abort', stop, { once: true });
  let state = IDLE;
  let failure: ModelError | null = null;
  let refused: PlanLimits | null = null;
  let response: Readonly<Record<string, unknown>> = {};
  let isEmpty = true;
  let isForeign = false;
  /** The words of the server in events that nobody knows, or in place of an answer. */
  let said = '';
  let chars = 0;
  try {
    const received = await send(options, request, abort.signal);
    response = { status: received.status, requestId: received.requestId };
    if (received.limits) yield { type: 'plan_limits', limits: received.limits };
    for await (const read of received.events) {
      if (read.length === 0) yield { type: 'alive', content: false };
      const told: ModelEvent[] = [];
      for (const raw of read) {
        if (raw.data === '' && raw.event === undefined) {
          if (isEmpty) said = raw.words ?? said;
          continue;
        }
        if (isEmpty) said = '';
        isEmpty = false;
        const event = isEndMark(raw) && state.stopReason !== null ? END : parsed(raw);
        isForeign ||= !timing.begun && isObject(event) && event['type'] === undefined;
        const step = reduceStream(state, event, names);
        state = step.state;
        const [only] = step.events;
        if (only?.type === 'alive' && !only.content) said = wordsIn(event) || said;
        for (const event of step.events) {
          if (event.type === 'block_delta') chars += event.text.length;
          const blocks = state.open.size + state.finished.size;
          if (chars > MAX_ANSWER_CHARS || blocks > MAX_ANSWER_BLOCKS) throw new AnswerTooLarge();
          if (state.open.size > MAX_OPEN_BLOCKS) throw new AnswerTooLarge();
          const full = finish(event, options, timing, context);
          if (full.type === 'message_finished') traceAnswer(request.trace, response, full);
          if (full.type === 'failed') failure = full.error;
          else addMerged(told, full);
        }
        if (state.phase === 'complete') break;
      }
      for (const event of told) yield event;
      if (state.phase === 'complete') break;
    }
    const last = endOfStream(state);
    state = last.state;
    for (const event of last.events) {
      const full = finish(event, options, timing, context);
      if (full.type === 'message_finished') traceAnswer(request.trace, response, full);
      if (full.type !== 'failed') yield full;
      else if (isEmpty) failure = emptyAnswer(received.status, said, context());
      else failure = withWords(full.error, said, options.secrets);
    }
    // Asked for again, another API would answer, and be paid, as often.
    if (isForeign && !timing.begun && failure?.kind === 'truncated')
      throw new NotAnAnswer('events of another API');
  } catch (problem) {
    failure = classifyError(problem, context());
    const { headers } = Object(problem);
    if (headers instanceof Headers) refused = readPlanLimits(headers);
  } finally {
    signal.removeEventListener('abort', stop);
    // A whole answer is not stopped: that would cost its connection, and the next request a new one.
    if (state.phase !== 'complete') stop();
    if (failure !== null && signal.aborted) failure = ABORTED;
    if (failure !== null) request.trace?.ended('failure', { ...response, ...failure });
    else if (state.phase !== 'complete') request.trace?.ended('left', response);
  }
  if (failure === null) return;
  if (refused !== null) yield { type: 'plan_limits', limits: refused };
  yield* spent(state, options, timing);
  yield {
    type: 'failed',
    error: isMidway(state, failure) ? { ...failure, midway: true } : failure,
  };
}

function send(
  options: EndpointOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Received> {
  const body = requestBody({ ...request, model: options.modelId(request.model) }, options);
  const { model } = body;
  request.trace?.sent({ host: options.host, model, stream: request.stream !== false }, body);
  return options.transport.send(body, signal);
}

function traceAnswer(
  trace: RequestTrace | undefined,
  response: Readonly<Record<string, unknown>>,
  { type: _, ...facts }: Extract<ModelEvent, { type: 'message_finished' }>,
): void {
  trace?.ended('answer', { ...response, ...facts });
}

/** Adds an event, and joins pieces of one block that came with one read: each costs every layer above a promise. */
function addMerged(told: ModelEvent[], event: ModelEvent): void {
  const last = told.at(-1);
  const joins =
    last?.type === 'block_delta' && event.type === 'block_delta' && last.index === event.index;
  if (joins) told[told.length - 1] = { ...last, text: last.text + event.text };
  else told.push(event);
}

/**
 * Parses an event. Data that is no JSON is an error, as nothing after it can be trusted; half of the last event is not.
 * Whatever a server sends as an error is one.
 */
function parsed(raw: RawEvent): unknown {
  if (raw.event !== undefined) return raw.event;
  try {
    const event: unknown = JSON.parse(raw.data);
    if (raw.isError !== true) return withType(event, raw.type);
    const isWhole = isObject(event) && refusedIn(event) !== null;
    return isWhole ? { ...event, type: 'error' } : { type: 'error', error: event };
  } catch {
    if (raw.isError) return { type: 'error', error: raw.data };
    if (raw.unfinished) return null;
    return { type: 'error', error: { type: GARBLED, message: 'an event was no JSON' } };
  }
}

/** Tells whether an event is the mark by which other APIs end a stream. It may follow an answer that broke off, too. */
const isEndMark = ({ data }: RawEvent): boolean => data.trim() === '[DONE]';
const END = { type: 'message_stop' };

/** Adds the type of an event that only the line beside its data names; an error needs none. */
const withType = (event: unknown, type: string | undefined): unknown =>
  type !== undefined && isObject(event) && !event['type'] && refusedIn(event) === null
    ? { ...event, type }
    : event;

/** Returns the failure of an answer in which nothing came, or only the words that a server `said` beside it. */
function emptyAnswer(status: number, said: string, context: ErrorContext): ModelError {
  const { host, secrets } = context;
  if (status !== 200 && said === '')
    return {
      kind: 'not_found',
      status,
      message: `${host} took the request and answered nothing (${status}), as no Messages API does.`,
      fix: 'Check the base URL.',
      retryable: false,
    };
  const message =
    said === ''
      ? 'The answer was empty: the connection ended before anything came.'
      : `The answer was empty but for these words: “${quote(said, secrets)}”.`;
  return { ...TRUNCATED, message };
}

/** Adds to the failure of an answer that broke off what the server `said` in events that nobody knows. */
const withWords = (error: ModelError, said: string, secrets: readonly string[]) =>
  said === '' || error.kind !== 'truncated'
    ? error
    : { ...error, message: `${error.message} The server said: “${quote(said, secrets)}”.` };

/** Tells whether the connection broke after the answer had begun. */
const isMidway = (state: StreamState, error: ModelError): boolean =>
  error.kind === 'network' && state.phase !== 'idle';

/** Gives the cost so far of an answer that did not come to its end. */
function* spent(
  { usage }: StreamState,
  options: EndpointOptions,
  timing: RequestTiming,
): Generator<ModelEvent> {
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens;
  if (tokens + usage.cacheWriteTokens === 0) return;
  const { model, asked } = timing;
  yield { type: 'spent', model, usage, costUsd: options.price(usage, model, asked) };
}

/** Adds what the reducer cannot know: price, speed, and the message of an error. */
function finish(
  event: StreamEvent,
  options: EndpointOptions,
  timing: RequestTiming,
  context: () => ErrorContext,
): ModelEvent {
  switch (event.type) {
    case 'message_started':
      timing.model = event.model;
      timing.begun = true;
      return event;
    case 'block_started':
      timing.content();
      return event;
    case 'stream_error':
      return { type: 'failed', error: refusedError(event, context()) };
    case 'completed': {
      const { type: _, ...rest } = event;
      return {
        type: 'message_finished',
        ...rest,
        costUsd: options.price(event.usage, timing.model, timing.asked),
        ...timing.report(event.usage.outputTokens),
      };
    }
    default:
      return event;
  }
}

/** The shortest time in which a speed shows. What came in one piece was written before. Milliseconds. */
const MIN_SPAN_MS = 250;

/** The times of one request, and the model that answers it. */
class RequestTiming {
  readonly #clock: Clock;
  readonly #sentAt: number;
  #firstAt: number | null = null;
  /** The message has begun. */
  begun = false;
  readonly asked: string;
  /** The model asked for; once the answer has begun, the one the server names. */
  model: string;

  constructor(clock: Clock, asked: string) {
    this.#clock = clock;
    this.#sentAt = clock.now();
    this.asked = asked;
    this.model = asked;
  }

  /** Notes that content came. */
  content(): void {
    this.#firstAt ??= this.#clock.now();
  }

  /** Returns the time to the first content in milliseconds, and tokens a second from then on; only what is known. */
  report(outputTokens: number): { ttftMs?: number; tokensPerSecond?: number } {
    if (this.#firstAt === null) return {};
    const ttftMs = this.#firstAt - this.#sentAt;
    const spanMs = this.#clock.now() - this.#firstAt;
    return spanMs < MIN_SPAN_MS
      ? { ttftMs }
      : { ttftMs, tokensPerSecond: (outputTokens * 1000) / spanMs };
  }
}
