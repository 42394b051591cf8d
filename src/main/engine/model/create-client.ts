import type { Random } from '../ports';
import { type AwsCredentials, type CloudAuth, withCloudAuth } from './cloud-auth';
import {
  FAILOVER_WAIT_MS,
  OVERLOADED_BEFORE_FALLBACK,
  type Provider,
  withFailover,
  withFallback,
} from './fallback';
import type { ModelClient } from './model-client';
import { type AnthropicOptions, createAnthropicClient } from './providers/anthropic';
import { createProviderClient, type ProviderOptions, providerName } from './providers/cloud';
import { forModel, withStreamRescue, withThinkingRepair } from './rescue';
import { type RetryOptions, withRetry } from './retry';
import { withWatchdog } from './watchdog';

export interface ModelClientOptions extends AnthropicOptions {
  readonly random: Random;
  /** Model ids that take over, in order, when the asked one stays overloaded. */
  readonly fallbackModels?: readonly string[];
  /** The tries of one request, the first included: one more than `CLAUDE_CODE_MAX_RETRIES`. */
  readonly maxAttempts?: number;
  /** The longest silence of a stream (`LATHE_STREAM_IDLE_MS`); 0 never ends one. Milliseconds. */
  readonly idleMs?: number;
  /** Keeps trying for days: no user waits for the answer. */
  readonly unattended?: boolean;
  /** Providers behind, or instead of, the Messages API. */
  readonly providers?: readonly ProviderOptions[];
  /** The longest wait a provider may ask for before the next one takes over. Milliseconds. */
  readonly failoverWaitMs?: number;
  /** Leaves the Messages API itself out. */
  readonly withoutAnthropic?: boolean;
  /** Returns the ways to credentials of a provider that settings name; null where they name none. */
  readonly cloudAuth?: (provider: ProviderOptions) => CloudAuth | null;
  /** Wraps each endpoint: records or replays what goes over the wire. */
  readonly tape?: (endpoint: ModelClient) => ModelClient;
}

/**
 * Creates the client that the loop uses. From the wire outwards: endpoint, cassette, thinking repair, watchdog, rescue of
 * broken streams, retries, fallback models, other providers. One request may pass through all of them; none sends it
 * again once a tool use of the answer was finished.
 */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const others = options.providers ?? [];
  const impatience = {
    maxAskedWaitMs: options.failoverWaitMs ?? FAILOVER_WAIT_MS,
    maxAttempts: 3,
  };
  const own = (): Provider => {
    const steady = steadied(createAnthropicClient(options), options);
    return {
      name: 'Anthropic',
      impatient: persistent(steady, options, impatience),
      patient: persistent(steady, options, {}),
    };
  };
  const providers = [
    ...(options.withoutAnthropic && others.length > 0 ? [] : [own()]),
    ...others.map((other): Provider => {
      const auth = options.cloudAuth?.(other) ?? null;
      const client = (limits: Partial<RetryOptions>) => {
        const build = (keys: AwsCredentials | null) =>
          persistent(
            steadied(createProviderClient(withKeys(other, keys), wireOf(options)), options),
            options,
            limits,
          );
        return auth === null ? build(null) : withCloudAuth(build, auth);
      };
      return { name: providerName(other), impatient: client(impatience), patient: client({}) };
    }),
  ];
  const [only] = providers;
  return providers.length === 1 && only ? only.patient : withFailover(providers, options.clock);
}

const withKeys = (provider: ProviderOptions, keys: AwsCredentials | null): ProviderOptions =>
  keys === null || provider.kind !== 'bedrock' ? provider : { ...provider, credentials: keys };

/** Mends what breaks in one answer of one endpoint, as far as one more request can. */
function steadied(endpoint: ModelClient, options: ModelClientOptions): ModelClient {
  const taped = options.tape?.(endpoint) ?? endpoint;
  const { clock, idleMs } = options;
  const watched = withWatchdog(withThinkingRepair(taped), {
    clock,
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  return withStreamRescue(watched);
}

/** Adds retries, and the models that take over. */
function persistent(
  steady: ModelClient,
  { clock, random, maxAttempts, unattended, fallbackModels = [] }: ModelClientOptions,
  limits: Partial<RetryOptions>,
): ModelClient {
  const common: RetryOptions = {
    clock,
    random,
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(unattended === undefined ? {} : { unattended }),
    ...limits,
  };
  const patient = withRetry(steady, common);
  if (fallbackModels.length === 0) return patient;
  const impatient = withRetry(steady, { ...common, maxOverloaded: OVERLOADED_BEFORE_FALLBACK });
  return withFallback({ impatient, patient, models: fallbackModels, forModel });
}

const wireOf = (options: ModelClientOptions) => ({
  clock: options.clock,
  price: options.price,
  betas: options.betas ?? [],
  customHeaders: options.customHeaders ?? {},
  ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
});

/** Reads `ANTHROPIC_CUSTOM_HEADERS`: one `Name: value` a line. Leaves out lines that are no header. */
export function parseCustomHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? [[name, line.slice(colon + 1).trim()]] : [];
  });
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}
