import type { Anthropic } from '@anthropic-ai/sdk';
import type { Clock } from '../../ports';
import { CLEARING_BETA, needsClearingBeta } from '../api-clearing';
import { COMPACTION_BETA, type CompactionSwitch, needsCompactionBeta } from '../api-compaction';
import { createEndpointClient, type Price } from '../endpoint-client';
import type { ModelClient, ModelError } from '../model-client';
import { secretsInHeaders } from '../network-error';
import { BINDING_BETA, COUNT_BETA, hidesThinking, TASK_BUDGET_BETA } from '../request-body';
import { type Body, DEFAULT_TIMEOUT_MS, type ProviderTransport, sdkTransport } from '../transport';

/** The endpoint this build was made for. */
const OFFICIAL_BASE_URL = 'https://api.anthropic.com';

/** The API version the body is written in. Compatible servers may need an older one. */
const API_VERSION = '2026-10-21';

/** The way to the Messages API. Nothing is taken from the environment or from files. */
export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Sent as a bearer token, beside the `apiKey` when both are given. */
  readonly authToken?: string;
  /** Default: the official endpoint. */
  readonly baseUrl?: string;
  readonly version?: string;
  readonly betas?: readonly string[];
  readonly customHeaders?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  /** Returns what the clients of an address share. Default: they share nothing. */
  readonly compactionSwitch?: (baseUrl: string) => CompactionSwitch;
  readonly clock: Clock;
  readonly price: Price;
}

const NO_KEY: ModelError = {
  kind: 'auth',
  message: 'There is no key for the model.',
  fix: 'Set ANTHROPIC_API_KEY, or enter a key in the connection settings.',
  retryable: false,
};

const BAD_KEY: ModelError = {
  kind: 'auth',
  message:
    'The key for the model holds characters that no key has, such as a space or a line break.',
  fix: 'Copy it again: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the environment, or the connection in settings.',
  retryable: false,
};

/** Tells why no request can be sent; null when one can. */
function missing({ apiKey, authToken }: AnthropicOptions, baseUrl: string): ModelError | null {
  const key = apiKey || authToken;
  if (!key) return NO_KEY;
  if (!/^[!-~]+$/.test(key.trim())) return BAD_KEY;
  if (URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)) return null;
  return {
    kind: 'not_found',
    message: `"${baseUrl}" is no address of a Messages API.`,
    fix: 'Set the base URL (ANTHROPIC_BASE_URL) to one that begins with https:// or http://.',
    retryable: false,
  };
}

/** Creates a client for the Messages API, or for a server compatible with it. */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const endpoint = endpointOf(options);
  const newest = endpoint.baseUrl === OFFICIAL_BASE_URL && endpoint.version === API_VERSION;
  return createEndpointClient({
    transport: anthropicTransport(endpoint, newest),
    host: hostOf(endpoint.baseUrl),
    secrets: [
      options.apiKey ?? '',
      options.authToken ?? '',
      ...secretsInHeaders(endpoint.customHeaders),
    ],
    missing: missing(options, endpoint.baseUrl),
    dropStaleThinking: endpoint.betas.includes(BINDING_BETA),
    taskBudget: endpoint.betas.includes(TASK_BUDGET_BETA),
    compaction: newest || endpoint.betas.includes(COMPACTION_BETA),
    compactionSwitch: options.compactionSwitch?.(endpoint.baseUrl),
    clearing: newest || endpoint.betas.includes(CLEARING_BETA),
    diagnoseCache: newest,
    modelId: (model) => model,
    clock: options.clock,
    price: options.price,
  });
}

/** Resolves options to an endpoint; adds what only the official one understands for it alone. */
export function endpointOf(options: Omit<AnthropicOptions, 'clock' | 'price'>): Endpoint {
  const baseUrl = baseOf(options.baseUrl);
  const version = options.version ?? API_VERSION;
  const official = baseUrl === OFFICIAL_BASE_URL && version === API_VERSION;
  const own = official ? [BINDING_BETA, TASK_BUDGET_BETA] : [];
  return {
    ...(options.apiKey ? { apiKey: options.apiKey } : {}),
    ...(options.authToken ? { authToken: options.authToken } : {}),
    baseUrl,
    version,
    betas: [...new Set([...own, ...(options.betas ?? [])])],
    customHeaders: options.customHeaders ?? {},
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Address, credentials and headers of an endpoint. */
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

/** Returns the base of an endpoint's address, without a slash or `/v1` at the end; the official one when empty. */
export const baseOf = (url: string | undefined): string =>
  (url || OFFICIAL_BASE_URL).replace(/\/+$/, '').replace(/\/v1$/, '');

/** Creates the transport to the Messages API, or to a server compatible with it. */
function anthropicTransport(endpoint: Endpoint, isNewest: boolean): ProviderTransport {
  const json = createBodyJson();
  const { timeoutMs } = endpoint;
  const transports = new Map<string, ProviderTransport>();
  const transportWith = (own: readonly string[]): ProviderTransport => {
    const name = own.join();
    const made = transports.get(name);
    if (made !== undefined) return made;
    const betas = [...new Set([...endpoint.betas, ...own])];
    const load = () => loadAnthropic({ ...endpoint, betas });
    const transport = sdkTransport(load, { timeoutMs, json });
    transports.set(name, transport);
    return transport;
  };
  // Named only where they are needed: an API that no longer knows one refuses nothing else.
  const needed = (body: Body): readonly string[] => [
    ...(needsCompactionBeta(body) ? [COMPACTION_BETA] : []),
    ...(needsClearingBeta(body) ? [CLEARING_BETA] : []),
    ...(isNewest && hidesThinking(body) ? [COUNT_BETA] : []),
  ];
  return { send: (body, signal) => transportWith(needed(body)).send(body, signal) };
}

/** Loads the SDK's client for an endpoint; nothing from the environment or from profile files gets into its requests. */
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
        headers: wireHeaders(asHeaders(init?.headers), endpoint),
        redirect: 'manual',
      }),
  });
}

/** Returns headers in their one form; they are slow to copy. */
const asHeaders = (given: ConstructorParameters<typeof Headers>[0]): Headers =>
  given instanceof Headers ? given : new Headers(given);

const FROM_SDK = /^(accept|content-type|user-agent|x-stainless-.*)$/;

/**
 * Returns the headers that really leave. The SDK adds what it finds in the environment (custom headers, betas); only what
 * is plainly its own passes, the rest comes from the endpoint.
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

/** Longer JSON (images) is not kept: that would cost more than making it again. Characters. */
const MAX_KEPT = 64 * 1024;

/** The lists that are most of a body, and whose parts are nearly all those of the body before. */
const LISTS: ReadonlySet<string> = new Set(['tools', 'system', 'messages']);

/**
 * Creates a function that turns bodies into JSON, exactly as `JSON.stringify` does, but converts tools, system texts and
 * messages that were in an earlier body only once.
 */
export function createBodyJson(): (body: Body) => string {
  const known = new WeakMap<object, string>();

  const once = (part: object): string => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const json = JSON.stringify(part);
    if (json.length <= MAX_KEPT) known.set(part, json);
    return json;
  };

  // Added up, the pieces are copied once, when the text is sent; joined, once for each list around them.
  const listOf = (parts: readonly object[]): string => {
    let text = '';
    for (const part of parts) text += text === '' ? once(part) : `,${once(part)}`;
    return `[${text}]`;
  };

  return (body) => {
    let text = '';
    for (const [key, value] of Object.entries(body)) {
      const json: string | undefined =
        LISTS.has(key) && isList(value) ? listOf(value) : JSON.stringify(value);
      if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${json}`;
    }
    return `{${text}}`;
  };
}

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null);
