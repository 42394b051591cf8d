import type { Random } from '../ports';
import { type AnthropicOptions, createAnthropicClient } from './anthropic';
import { OVERLOADED_BEFORE_FALLBACK, withFallback } from './fallback';
import type { ModelClient } from './model-client';
import { withRetry } from './retry';
import { forModel, withThinkingRepair } from './thinking';

export interface ModelClientOptions extends AnthropicOptions {
  readonly random: Random;
  /** Model ids that take over, in order, when the asked one stays overloaded. */
  readonly fallbackModels?: readonly string[];
  /** `CLAUDE_CODE_MAX_RETRIES` and the like. Tries of one request, the first included. */
  readonly maxAttempts?: number;
}

/**
 * The model as the loop uses it: endpoint, then thinking repair, retries, fallback. Watchdog, failover and
 * cassette are further decorators of {@link ModelClient} and go between the endpoint and the rest.
 */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const endpoint = withThinkingRepair(createAnthropicClient(options));
  const { clock, random } = options;
  const common = {
    clock,
    random,
    ...(options.maxAttempts === undefined ? {} : { maxAttempts: options.maxAttempts }),
  };
  const patient = withRetry(endpoint, common);
  const models = options.fallbackModels ?? [];
  if (models.length === 0) return patient;
  const impatient = withRetry(endpoint, { ...common, maxOverloaded: OVERLOADED_BEFORE_FALLBACK });
  return withFallback({ impatient, patient, models, forModel });
}

/** Reads `ANTHROPIC_CUSTOM_HEADERS`: one `Name: value` a line. Lines that are no header are left out. */
export function parseCustomHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? [[name, line.slice(colon + 1).trim()]] : [];
  });
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}
