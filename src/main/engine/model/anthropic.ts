import type { Usage } from '../../../shared/message';
import type { Clock } from '../ports';
import { createEndpointClient } from './endpoint-client';
import type { ModelClient, ModelError } from './model-client';
import {
  API_VERSION,
  anthropicTransport,
  baseOf,
  type Endpoint,
  OFFICIAL_BASE_URL,
} from './providers/anthropic-api';
import { secretsInHeaders } from './quote';
import { BINDING_BETA, TASK_BUDGET_BETA } from './request-body';
import { DEFAULT_TIMEOUT_MS } from './sdk';

/** How to reach the Messages API. Nothing is taken from the environment or from files. */
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
  readonly clock: Clock;
  /** USD for the tokens of one request. */
  readonly price: (usage: Usage, model: string) => number;
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

/** Why no request can be sent; null when one can. */
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

/** A client for the Messages API, or for a server compatible with it. */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const endpoint = endpointOf(options);
  const official = endpoint.baseUrl === OFFICIAL_BASE_URL;
  return createEndpointClient({
    transport: anthropicTransport(endpoint),
    host: hostOf(endpoint.baseUrl),
    secrets: [
      options.apiKey ?? '',
      options.authToken ?? '',
      ...secretsInHeaders(endpoint.customHeaders),
    ],
    missing: missing(options, endpoint.baseUrl),
    dropStaleThinking: endpoint.betas.includes(BINDING_BETA),
    taskBudget: endpoint.betas.includes(TASK_BUDGET_BETA),
    diagnoseCache: official && endpoint.version === API_VERSION,
    modelId: (model) => model,
    clock: options.clock,
    price: options.price,
  });
}

/** The endpoint that options describe; what only the official one understands is added for it alone. */
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
