import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { eventsByRead, type RawEvent } from './server-sent-events';

/** How long to wait for the first byte of an answer. `API_TIMEOUT_MS`, CONVENTIONS 10. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** A body as `POST /v1/messages` takes it. */
export type Body = Readonly<Record<string, unknown>>;

/** The way to one provider. Both throw what the SDK throws; the SDK is loaded at the first call. */
export interface Transport {
  /** Sends a request and gives the raw events of its stream, those of one network read together. */
  stream(body: Body, signal: AbortSignal): Promise<AsyncIterable<readonly RawEvent[]>>;
  /**
   * Sends a request without `stream` and gives the whole answer as parsed JSON, or the raw events of a server that
   * streams regardless.
   */
  whole(body: Body, signal: AbortSignal): Promise<Whole>;
}

/** How an answer came that was asked for in one piece. */
export type Whole =
  | { readonly kind: 'json'; readonly answer: unknown }
  | { readonly kind: 'events'; readonly events: AsyncIterable<readonly RawEvent[]> };

/** What every request of a provider carries. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A transport over a client of the SDK's family: they all take `POST /v1/messages` and give server-sent events,
 * whatever the provider really speaks. A load that failed is tried again at the next request.
 */
export function sdkTransport(
  load: () => Promise<BaseAnthropic>,
  { timeoutMs, headers = {} }: RequestOptions,
): Transport {
  let loading: Promise<BaseAnthropic> | undefined;
  const post = async (body: Body, stream: boolean, signal: AbortSignal): Promise<Response> => {
    loading ??= load().catch((problem: unknown) => {
      loading = undefined;
      throw problem;
    });
    const client = await loading;
    return client
      .post('/v1/messages', { body, stream, signal, timeout: timeoutMs, headers })
      .asResponse();
  };
  return {
    stream: async (body, signal) => {
      const response = await post(body, true, signal);
      refuseOtherContent(response);
      return eventsByRead(response.body);
    },
    whole: async (body, signal) => {
      const response = await post(body, false, signal);
      const type = contentType(response);
      if (/text\/html/i.test(type)) throw notAnAnswer(response);
      return /text\/event-stream/i.test(type)
        ? { kind: 'events', events: eventsByRead(response.body) }
        : { kind: 'json', answer: await response.json() };
    },
  };
}

const contentType = (response: Response): string => response.headers.get('content-type') ?? '';

/** A web page or plain JSON with status 200 is no stream: a wrong address, or a server that cannot stream. */
function refuseOtherContent(response: Response): void {
  if (/text\/html|application\/json/i.test(contentType(response))) throw notAnAnswer(response);
}

const notAnAnswer = (response: Response): Error =>
  Object.assign(new Error('not an answer'), {
    status: 404,
    headers: response.headers,
    apiMessage: `It answered with ${contentType(response).split(';')[0]} instead of a stream of events.`,
  });
