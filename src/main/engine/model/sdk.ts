import type { Anthropic } from '@anthropic-ai/sdk';

/** The endpoint this build was made for. */
export const OFFICIAL_BASE_URL = 'https://api.anthropic.com';

/** The API version the body is written in. Compatible servers may need an older one. */
export const API_VERSION = '2026-10-21';

/** How long to wait for the first byte of an answer. `API_TIMEOUT_MS`, CONVENTIONS 10. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** Where requests go and who sends them. Nothing is read from anywhere else. */
export interface Endpoint {
  /** Sent as `x-api-key`. */
  readonly apiKey?: string;
  /** Sent as `Authorization: Bearer`. */
  readonly authToken?: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly betas: readonly string[];
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The host's fetch (proxy, certificates); the runtime's own by default. */
  readonly fetch?: typeof fetch;
}

/** One server-sent event as text. */
export interface RawEvent {
  readonly event: string | null;
  readonly data: string;
}

/** Sends a request and gives the raw events of its stream. Throws what the SDK throws. */
export type OpenStream = (
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<AsyncIterable<RawEvent>>;

/** Opens streams on an endpoint. The SDK is loaded at the first request, so that start-up stays cheap. */
export function createOpenStream(endpoint: Endpoint): OpenStream {
  let loading: Promise<{ client: Anthropic; rawEvents: RawEvents }> | undefined;
  return async (body, signal) => {
    loading ??= load(endpoint);
    const { client, rawEvents } = await loading;
    const response = await client
      .post('/v1/messages', { body, stream: true, signal, timeout: endpoint.timeoutMs })
      .asResponse();
    refuseOtherContent(response);
    return rawEvents(response);
  };
}

type RawEvents = (response: Response) => AsyncIterable<RawEvent>;

async function load(endpoint: Endpoint): Promise<{ client: Anthropic; rawEvents: RawEvents }> {
  const [{ Anthropic }, { Stream }] = await Promise.all([
    import('@anthropic-ai/sdk'),
    import('@anthropic-ai/sdk/core/streaming'),
  ]);
  const send = endpoint.fetch ?? fetch;
  const client = new Anthropic({
    // One credential given here keeps the SDK from looking for others in the environment and in profile files.
    apiKey: endpoint.apiKey ?? endpoint.authToken ?? '',
    authToken: null,
    webhookKey: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    timeout: endpoint.timeoutMs,
    logLevel: 'off',
    openTelemetry: false,
    fetch: (url, init) => send(url, { ...init, headers: wireHeaders(init?.headers, endpoint) }),
  });
  return { client, rawEvents: (response) => Stream.rawEvents(response) };
}

const FROM_SDK = /^(accept|content-type|user-agent|x-stainless-.*)$/;

/**
 * The headers that really leave. The SDK adds what it finds in the environment (custom headers, betas); only
 * what is plainly its own passes, the rest comes from the endpoint.
 */
function wireHeaders(made: ConstructorParameters<typeof Headers>[0], endpoint: Endpoint): Headers {
  const headers = new Headers();
  for (const [name, value] of new Headers(made)) if (FROM_SDK.test(name)) headers.set(name, value);
  headers.set('anthropic-version', endpoint.version);
  if (endpoint.betas.length > 0) headers.set('anthropic-beta', endpoint.betas.join(','));
  if (endpoint.apiKey !== undefined) headers.set('x-api-key', endpoint.apiKey);
  else if (endpoint.authToken !== undefined)
    headers.set('authorization', `Bearer ${endpoint.authToken}`);
  for (const [name, value] of Object.entries(endpoint.customHeaders)) headers.set(name, value);
  return headers;
}

/** A web page or plain JSON with status 200 is no stream: a wrong address, or a server that cannot stream. */
function refuseOtherContent(response: Response): void {
  const type = response.headers.get('content-type') ?? '';
  if (/text\/html|application\/json/i.test(type))
    throw Object.assign(new Error('not a stream'), {
      status: 404,
      headers: response.headers,
      apiMessage: `It answered with ${type.split(';')[0]} instead of a stream of events.`,
    });
}
