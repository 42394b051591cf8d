/**
 * USD per million tokens. `cacheWrite` is the five-minute cache. Where a model costs more for long prompts,
 * `long` holds for every token of a request whose whole prompt has more than `above` tokens.
 */
interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly long?: Omit<Prices, 'long'> & { readonly above: number };
}

export type Family = 'opus' | 'sonnet' | 'haiku' | 'fable';

/** The facts of one model. */
export interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly family: Family;
  /** The newest of its family, in the menu and behind the family's alias. */
  readonly latest: boolean;
  /** Tokens. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** True when `thinking: {type: 'adaptive'}` may be sent. */
  readonly adaptiveThinking: boolean;
  /** The value for "do not think": `disabled`, `between_tools`, or none (`never`). */
  readonly thinkingOff: 'disabled' | 'between_tools' | 'never';
  /** Effort levels in rising order; empty where the model has none. */
  readonly efforts: readonly string[];
  /** True when `output_config.task_budget` may be sent. */
  readonly taskBudget: boolean;
  readonly prices: Prices;
  /** The month in which its knowledge ends; the provider's model pages, November 2026. */
  readonly knowledgeUntil?: string;
}

// The prices were last compared with the provider's price list on 2026-11-10.

const ALL_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const EFFORTS_4_6 = ['low', 'medium', 'high', 'max'] as const;

/** Source: the provider's page on task budgets, November 2026. */
const TASK_BUDGETS: ReadonlySet<string> = new Set([
  'claude-fable-5-1',
  'claude-fable-5',
  'claude-opus-5-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
]);

const NO_OFF = { thinkingOff: 'never' } as const;

const prices = (
  input: number,
  output: number,
  cacheWrite: number,
  cacheRead: number,
  long?: Prices['long'],
): Prices => ({ input, output, cacheWrite, cacheRead, ...(long === undefined ? {} : { long }) });

const model = (
  id: string,
  name: string,
  family: Family,
  price: Prices,
  rest: Partial<ModelFacts> = {},
): ModelFacts => ({
  id,
  name,
  family,
  latest: false,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  adaptiveThinking: true,
  thinkingOff: 'disabled',
  efforts: ALL_EFFORTS,
  taskBudget: TASK_BUDGETS.has(id),
  prices: price,
  ...rest,
});

/** Source: the provider's model overview and pricing pages, November 2026. */
export const MODELS: readonly ModelFacts[] = [
  model('claude-opus-5-5', 'Claude Opus 5.5', 'opus', prices(4, 20, 5, 0.2), {
    latest: true,
    thinkingOff: 'never',
    knowledgeUntil: '2026-06',
  }),
  model('claude-sonnet-5-5', 'Claude Sonnet 5.5', 'sonnet', prices(2, 10, 2.5, 0.1), {
    latest: true,
    thinkingOff: 'between_tools',
    knowledgeUntil: '2026-06',
  }),
  model(
    'claude-haiku-5-5',
    'Claude Haiku 5.5',
    'haiku',
    prices(0.1, 0.5, 0.125, 0.01, { above: 100_000, ...prices(0.5, 2.5, 0.625, 0.05) }),
    { latest: true, thinkingOff: 'between_tools', knowledgeUntil: '2026-06' },
  ),
  model('claude-fable-5-2', 'Claude Fable 5.2', 'fable', prices(8, 40, 10, 0.2), {
    latest: true,
    thinkingOff: 'never',
  }),
  model('claude-fable-5-1', 'Claude Fable 5.1', 'fable', prices(10, 50, 12.5, 0.25), {
    ...NO_OFF,
    knowledgeUntil: '2026-06',
  }),
  model('claude-fable-5', 'Claude Fable 5', 'fable', prices(10, 50, 12.5, 1), NO_OFF),
  model('claude-opus-5', 'Claude Opus 5', 'opus', prices(5, 25, 6.25, 0.5)),
  model('claude-sonnet-5', 'Claude Sonnet 5', 'sonnet', prices(2, 10, 2.5, 0.2), {
    knowledgeUntil: '2026-01',
  }),
  model('claude-opus-4-8', 'Claude Opus 4.8', 'opus', prices(5, 25, 6.25, 0.5)),
  model('claude-opus-4-7', 'Claude Opus 4.7', 'opus', prices(5, 25, 6.25, 0.5)),
  model('claude-opus-4-6', 'Claude Opus 4.6', 'opus', prices(5, 25, 6.25, 0.5), {
    efforts: EFFORTS_4_6,
  }),
  model('claude-sonnet-4-6', 'Claude Sonnet 4.6', 'sonnet', prices(3, 15, 3.75, 0.3), {
    efforts: EFFORTS_4_6,
    maxOutputTokens: 64_000,
  }),
  model('claude-haiku-4-5', 'Claude Haiku 4.5', 'haiku', prices(1, 5, 1.25, 0.1), {
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    adaptiveThinking: false,
    efforts: [],
    knowledgeUntil: '2025-02',
  }),
];
