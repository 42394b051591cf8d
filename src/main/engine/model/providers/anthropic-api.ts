import type { Anthropic } from '@anthropic-ai/sdk';
import { createBodyJson } from '../body-json';
import { sdkTransport, type Transport } from '../sdk';

/** The endpoint this build was made for. */
export const OFFICIAL_BASE_URL = 'https://api.anthropic.com';

/** The API version the body is written in. Compatible servers may need an older one. */
export const API_VERSION = '2026-10-21';

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

/** The base of an endpoint's address: no slash and no `/v1` at the end; the official one when empty. */
export const baseOf = (url: string | undefined): string =>
  (url || OFFICIAL_BASE_URL).replace(/\/+$/, '').replace(/\/v1$/, '');

/** The Messages API itself, or a server compatible with it. */
export const anthropicTransport = (endpoint: Endpoint): Transport =>
  sdkTransport(() => loadAnthropic(endpoint), {
    timeoutMs: endpoint.timeoutMs,
    json: createBodyJson(),
  });

/** The SDK's client for an endpoint: nothing from the environment or from profile files gets into its requests. */
export async function loadAnthropic(endpoint: Endpoint): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const send = endpoint.fetch ?? fetch;
  return new Anthropic({
    // One credential given here keeps the SDK from looking for others in the environment and in profile files.
    apiKey: endpoint.apiKey ?? endpoint.authToken ?? '',
    authToken: null,
    webhookKey: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    timeout: endpoint.timeoutMs,
    logLevel: 'off',
    openTelemetry: false,
    // A redirect would carry the key to whatever address the server names.
    fetch: (url, init) =>
      send(url, {
        ...init,
        headers: wireHeaders(new Headers(init?.headers), endpoint),
        redirect: 'manual',
      }),
  });
}

const FROM_SDK = /^(accept|content-type|user-agent|x-stainless-.*)$/;

/**
 * The headers that really leave. The SDK adds what it finds in the environment (custom headers, betas); only
 * what is plainly its own passes, the rest comes from the endpoint.
 */
function wireHeaders(made: Headers, endpoint: Endpoint): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of made) if (FROM_SDK.test(name)) headers[name] = value;
  headers['anthropic-version'] = endpoint.version;
  if (endpoint.apiKey !== undefined) headers['x-api-key'] = endpoint.apiKey;
  if (endpoint.authToken !== undefined) headers['authorization'] = `Bearer ${endpoint.authToken}`;
  for (const [name, value] of Object.entries(endpoint.customHeaders))
    headers[name.toLowerCase()] = value;
  const betas = [...endpoint.betas, headers['anthropic-beta'] ?? ''].filter((beta) => beta !== '');
  if (betas.length > 0) headers['anthropic-beta'] = betas.join(',');
  return headers;
}
