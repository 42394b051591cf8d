import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { PlanLimits } from '../../../shared/plan-limits';
import { requireUnpacked } from './network-error';
import { readPlanLimits } from './plan-limits';
import { createEventReader, eventsByRead, type RawEvent, textOf } from './server-sent-events';
import { isObject } from './stream-blocks';

/** The wait for the first byte of an answer (`API_TIMEOUT_MS`, docs/configuration.md). Milliseconds. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** A body as `POST /v1/messages` takes it. */
export type Body = Readonly<Record<string, unknown>>;

/** An answer as it came: as a stream of events, or in one piece. A server need not do as it was asked. */
export type Content =
  | { readonly kind: 'json'; readonly answer: unknown }
  /** Events of one network read come together. */
  | { readonly kind: 'events'; readonly events: AsyncIterable<readonly RawEvent[]> };

/** An answer with the facts of its response. */
export interface Received {
  readonly content: Content;
  readonly status: number;
  /** The provider's name of the request, for its support. */
  readonly requestId?: string;
  /** The limits of the plan that pays, where the answer tells them. */
  readonly limits?: PlanLimits | null;
}

/** The way to one provider. */
export interface ProviderTransport {
  /** Sends a request. Throws what the SDK throws; the SDK is loaded at the first call. */
  send(body: Body, signal: AbortSignal): Promise<Received>;
}

/** The parts that all requests of a provider share. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Turns bodies into JSON; absent where the SDK changes them before they leave. */
  readonly json?: (body: Body) => string;
}

/**
 * Creates a transport over a client of the SDK's family: they all take `POST /v1/messages` and give server-sent events,
 * whatever the provider really speaks. Tries a load that failed again at the next request.
 */
export function sdkTransport(
  load: () => Promise<BaseAnthropic>,
  { timeoutMs, headers = {}, json }: RequestOptions,
): ProviderTransport {
  let loading: Promise<BaseAnthropic> | undefined;
  return {
    send: async (body, signal) => {
      loading ??= load().catch((problem: unknown) => {
        loading = undefined;
        throw problem;
      });
      const client = await loading;
      const stream = body['stream'] === true;
      const sent =
        json === undefined
          ? { body, headers }
          : { body: json(body), headers: { ...headers, 'content-type': 'application/json' } };
      const response = await client
        .post('/v1/messages', { ...sent, stream, signal, timeout: timeoutMs })
        .asResponse();
      const { status, headers: answered } = response;
      requireUnpacked(response);
      const requestId = answered.get('request-id') ?? answered.get('x-amzn-requestid');
      const content = await contentOf(response, stream);
      const limits = readPlanLimits(answered);
      return { content, status, limits, ...(requestId === null ? {} : { requestId }) };
    },
  };
}

/**
 * Reads an answer by its content: servers and proxies do not always name its kind, or name a wrong one. Throws for a web
 * page, and for JSON that is no answer.
 */
async function contentOf(response: Response, stream: boolean): Promise<Content> {
  const type = response.headers.get('content-type') ?? '';
  if (/text\/html/i.test(type)) {
    await response.body?.cancel();
    throw new NotAnAnswer(type, response.headers);
  }
  const expectsEvents = stream
    ? !/application\/json/i.test(type)
    : /text\/event-stream/i.test(type);
  if (expectsEvents) return { kind: 'events', events: eventsByRead(response.body) };
  const text = await textOf(response.body);
  if (looksLikeEvents(text)) return { kind: 'events', events: eventsIn(text) };
  const answer = parsed(text);
  if (isObject(answer) && answer['type'] === 'message') return { kind: 'json', answer };
  if (isObject(answer) && isObject(answer['error'])) throw new RefusedInside(answer['error']);
  // Half an answer is one that broke off, and none of it is told apart.
  if (answer === undefined) return { kind: 'json', answer: text.trim() === '' ? null : text };
  throw new NotAnAnswer(type, response.headers);
}

/** Tells a stream of events, which begins with a field or a comment, from JSON, which never does. */
const looksLikeEvents = (text: string): boolean => /^\s*(?:event|data|id|retry)?:/.test(text);

async function* eventsIn(text: string): AsyncGenerator<readonly RawEvent[]> {
  const reader = createEventReader();
  yield reader.take(new TextEncoder().encode(text));
  yield reader.end();
}

/** Parses JSON; undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error of the API in an answer with status 200. Classified by its shape, like the SDK's errors. */
class RefusedInside extends Error {
  readonly type: string;
  readonly apiMessage: string;

  constructor(error: Readonly<Record<string, unknown>>) {
    super('refused');
    this.type = String(error['type'] ?? 'api_error');
    this.apiMessage = String(error['message'] ?? '');
  }
}

/** A web page or some other JSON with status 200: the address is wrong. */
export class NotAnAnswer extends Error {
  readonly headers: Headers;
  /** The type of what came instead, e.g. `text/html`. */
  readonly contentType: string;

  constructor(contentType: string, headers: Headers) {
    super('not an answer');
    this.headers = headers;
    this.contentType = contentType.split(';')[0] ?? '';
  }
}

/** Settings of the wire that hold for every provider. */
export interface ProviderWire {
  readonly timeoutMs: number;
  /** Absent: the version the provider's package was made for. */
  readonly version?: string;
  readonly betas: readonly string[];
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** Returns the headers of every request; the packages move version and betas to where their provider wants them. */
export const providerHeaders = (wire: ProviderWire): Readonly<Record<string, string>> => ({
  ...wire.customHeaders,
  ...(wire.version === undefined ? {} : { 'anthropic-version': wire.version }),
  ...(wire.betas.length === 0 ? {} : { 'anthropic-beta': wire.betas.join(',') }),
});
