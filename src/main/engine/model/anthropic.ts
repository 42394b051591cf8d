import type { Usage } from '../../../shared/message';
import type { Clock } from '../ports';
import { ABORTED, classifyError, type ErrorContext, errorOfType } from './errors';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { BINDING_BETA, requestBody } from './request-body';
import {
  API_VERSION,
  createOpenStream,
  DEFAULT_TIMEOUT_MS,
  type Endpoint,
  OFFICIAL_BASE_URL,
  type OpenStream,
} from './sdk';
import { endOfStream, IDLE, reduceStream, type StreamEvent } from './stream-reducer';

/** How to reach the Messages API. Nothing is taken from the environment or from files. */
export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Used when there is no `apiKey`. */
  readonly authToken?: string;
  /** Default: the official endpoint. */
  readonly baseUrl?: string;
  readonly version?: string;
  readonly betas?: readonly string[];
  readonly customHeaders?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly clock: Clock;
  /** USD for the tokens of one request. */
  readonly price: (usage: Usage, model: string) => number;
}

/** A client for one endpoint: one request, one stream, no retries. See `create-client` for the whole stack. */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const endpoint = endpointOf(options);
  const open = createOpenStream(endpoint);
  let count = 0;
  return {
    stream: (request, signal) => {
      count += 1;
      return streamOnce({ options, endpoint, open, number: count }, request, signal);
    },
  };
}

interface Surroundings {
  readonly options: AnthropicOptions;
  readonly endpoint: Endpoint;
  readonly open: OpenStream;
  readonly number: number;
}

const NO_KEY: ModelError = {
  kind: 'auth',
  message: 'There is no key for the model.',
  fix: 'Set ANTHROPIC_API_KEY, or enter a key in the connection settings.',
  retryable: false,
};

async function* streamOnce(
  { options, endpoint, open, number }: Surroundings,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) return yield { type: 'failed', error: ABORTED };
  if (!options.apiKey && !options.authToken) return yield { type: 'failed', error: NO_KEY };
  const { clock } = options;
  const context = (): ErrorContext => ({
    host: hostOf(endpoint.baseUrl),
    model: request.model,
    secrets: [options.apiKey ?? '', options.authToken ?? ''],
    now: clock.now(),
  });
  const names = { messageId: `msg_local_${clock.now()}_${number}`, model: request.model };
  const timing = new Timing(clock);
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    let state = IDLE;
    const body = requestBody(request, endpoint.betas.includes(BINDING_BETA));
    for await (const raw of await open(body, abort.signal)) {
      if (raw.data === '') continue;
      const step = reduceStream(state, JSON.parse(raw.data), names);
      state = step.state;
      for (const event of step.events) yield finish(event, request, options, timing, context());
      if (state.phase === 'complete') return;
    }
    const last = signal.aborted
      ? [{ type: 'failed' as const, error: ABORTED }]
      : endOfStream(state);
    for (const event of last) yield finish(event, request, options, timing, context());
  } catch (problem) {
    yield { type: 'failed', error: signal.aborted ? ABORTED : classifyError(problem, context()) };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Adds what the reducer cannot know: price, speed, and words for errors. */
function finish(
  event: StreamEvent,
  request: ModelRequest,
  options: AnthropicOptions,
  timing: Timing,
  context: ErrorContext,
): ModelEvent {
  switch (event.type) {
    case 'message_started':
      timing.served = event.model;
      return event;
    case 'block_started':
      timing.content();
      return event;
    case 'stream_error':
      return { type: 'failed', error: errorOfType(event.errorType, event.message, context) };
    case 'completed':
      return {
        type: 'message_finished',
        stopReason: event.stopReason,
        usage: event.usage,
        costUsd: options.price(event.usage, timing.served ?? request.model),
        ...timing.report(event.usage.outputTokens),
      };
    default:
      return event;
  }
}

/** Times of one request. */
class Timing {
  readonly #clock: Clock;
  readonly #sentAt: number;
  #firstAt: number | null = null;
  /** The model that answers, as the server says. */
  served: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sentAt = clock.now();
  }

  /** Content came. */
  content(): void {
    this.#firstAt ??= this.#clock.now();
  }

  /** Time to first content in milliseconds, and tokens a second from then on; only what can be known. */
  report(outputTokens: number): { ttftMs?: number; tokensPerSecond?: number } {
    if (this.#firstAt === null) return {};
    const ttftMs = this.#firstAt - this.#sentAt;
    const seconds = (this.#clock.now() - this.#firstAt) / 1000;
    return seconds > 0 ? { ttftMs, tokensPerSecond: outputTokens / seconds } : { ttftMs };
  }
}

function endpointOf(options: AnthropicOptions): Endpoint {
  const baseUrl = (options.baseUrl || OFFICIAL_BASE_URL).replace(/\/+$/, '').replace(/\/v1$/, '');
  const own = baseUrl === OFFICIAL_BASE_URL ? [BINDING_BETA] : [];
  return {
    ...(options.apiKey ? { apiKey: options.apiKey } : {}),
    ...(options.authToken ? { authToken: options.authToken } : {}),
    baseUrl,
    version: options.version ?? API_VERSION,
    betas: [...new Set([...own, ...(options.betas ?? [])])],
    customHeaders: options.customHeaders ?? {},
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
