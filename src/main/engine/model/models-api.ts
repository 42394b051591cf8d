import type { ModelChoice } from '../../../shared/settings';
import type { Clock } from '../ports';
import { contextWindowOf, listModels, sameModel, thinkingOf } from './catalog';
import { type AnthropicOptions, endpointOf, loadAnthropic } from './providers/anthropic';
import { textOf } from './server-sent-events';
import { isObject } from './stream-blocks';

/** The longest wait for the list; then the menu opens with the built-in one. Milliseconds. */
const MODELS_TIMEOUT_MS = 5_000;

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** The options of `GET /v1/models`. */
export type ModelsOptions = Omit<AnthropicOptions, 'price'>;

/**
 * Lists the models an endpoint offers, newest first as it lists them; null when it cannot say (no key, no such path, no
 * answer in time).
 */
export async function fetchModels(
  options: ModelsOptions,
  signal?: AbortSignal,
): Promise<readonly ModelChoice[] | null> {
  if (!options.apiKey && !options.authToken) return null;
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const late = options.clock.sleep(MODELS_TIMEOUT_MS, stop.signal).then(() => null);
    return await Promise.race([ask(options, stop.signal), late]);
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
  }
}

async function ask(
  options: ModelsOptions,
  signal: AbortSignal,
): Promise<readonly ModelChoice[] | null> {
  try {
    const client = await loadAnthropic(endpointOf(options));
    const query = { limit: 100 };
    const response = await client.get('/v1/models', { query, signal }).asResponse();
    const page: unknown = JSON.parse(await textOf(response.body));
    const data = isObject(page) && Array.isArray(page['data']) ? page['data'] : [];
    const choices = data.flatMap(choiceOf);
    return choices.length === 0 ? null : choices;
  } catch {
    return null;
  }
}

/** Turns an entry into a choice of the menu; leaves out retired models and what is no model. */
function choiceOf(value: unknown): readonly ModelChoice[] {
  if (!isObject(value) || typeof value['id'] !== 'string' || value['lifecycle'] === 'retired')
    return [];
  const { id, display_name: name, max_input_tokens: window } = value;
  return [
    {
      id,
      name: typeof name === 'string' && name !== '' ? name : id,
      contextTokens: typeof window === 'number' ? window : contextWindowOf(id),
      efforts: effortsOf(value['capabilities']),
      ...thinkingOf(id),
    },
  ];
}

function effortsOf(capabilities: unknown): string[] {
  const effort = isObject(capabilities) ? capabilities['effort'] : null;
  if (!isObject(effort)) return [];
  return EFFORTS.filter((level) => isObject(effort[level]) && effort[level]['supported'] === true);
}

/**
 * Makes the menu: first one choice per alias (what the environment puts in its place included), with the facts of the API;
 * then what else it offers. Without a list of the API only the first part. Pure.
 */
export function mergeModels(
  env: Readonly<Record<string, string | undefined>>,
  offered: readonly ModelChoice[] | null,
): readonly ModelChoice[] {
  const own = listModels(env);
  if (offered === null) return own;
  const aliased = own.map((choice) => {
    const told = offered.find((o) => sameModel(o.id, choice.id));
    return told === undefined ? choice : { ...told, ...choice, ...factsOf(told, choice) };
  });
  const rest = offered.filter((o) => !own.some((choice) => sameModel(choice.id, o.id)));
  return [...aliased, ...rest];
}

const factsOf = (told: ModelChoice, known: ModelChoice): Partial<ModelChoice> => ({
  name: told.name,
  contextTokens: told.contextTokens,
  efforts: told.efforts.length > 0 ? told.efforts : known.efforts,
});

/** Creates a menu that asks the API once per connection and keeps its answer for an hour. */
export function createModelMenu(
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): { list(options: ModelsOptions | null): Promise<readonly ModelChoice[]> } {
  let known: { of: string; at: number; offered: readonly ModelChoice[] } | null = null;
  return {
    list: async (options) => {
      if (options === null) return mergeModels(env, null);
      const of = `${options.baseUrl ?? ''} ${options.apiKey ?? options.authToken ?? ''}`;
      if (known?.of === of && clock.now() - known.at < MENU_LIFE_MS)
        return mergeModels(env, known.offered);
      const offered = await fetchModels(options);
      if (offered !== null) known = { of, at: clock.now(), offered };
      return mergeModels(env, offered);
    },
  };
}

const MENU_LIFE_MS = 3_600_000;
