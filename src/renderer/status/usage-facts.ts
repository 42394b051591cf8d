import { PLAN_WINDOWS, type PlanWindow } from '../../shared/plan-limits';
import type { ModelChoice } from '../../shared/settings';
import type { Transcript } from '../../shared/transcript';
import { duration, money, plural, tokens } from '../ui/format';
import { findModel } from './models';

/** Use of the context window, in tokens. */
export interface ContextUse {
  readonly used: number;
  readonly window: number;
  /** 0 … 1. */
  readonly share: number;
}

/** One line of the usage panel. */
export interface UsageFact {
  readonly label: string;
  readonly value: string;
  /** A remark in small print. */
  readonly note?: string;
}

/**
 * Returns the use of the context window; null when nothing was counted yet or its size is unknown. A window that no request
 * has told yet is the one the list of models gives.
 */
export function contextUse(
  { context, model }: Pick<Transcript, 'context' | 'model'>,
  models: readonly ModelChoice[],
): ContextUse | null {
  if (context === null) return null;
  const window = context.windowTokens || (findModel(models, model)?.contextTokens ?? 0);
  if (window <= 0) return null;
  return { used: context.usedTokens, window, share: context.usedTokens / window };
}

/** Lists the parts of the context window; empty until a request has reported them. */
export function contextFacts(
  { context, model }: Pick<Transcript, 'context' | 'model'>,
  models: readonly ModelChoice[],
): readonly UsageFact[] {
  const use = contextUse({ context, model }, models);
  if (use === null || !context?.parts) return [];
  const { system, tools: toolTokens, memory, messages } = context.parts;
  const parts: readonly (readonly [string, number])[] = [
    ['System prompt', system],
    ['Tools', toolTokens],
    ['Memory and facts', memory],
    ['Conversation', messages],
    ['Free', Math.max(0, use.window - use.used)],
  ];
  return parts.map(([label, value]) => ({ label, value: tokens(value) }));
}

/** Says how many prompts are kept word for word; empty when none is. */
export const pinFacts = ({ pins }: Pick<Transcript, 'pins'>): readonly UsageFact[] =>
  pins.length === 0 ? [] : [{ label: 'Kept word for word', value: plural(pins.length, 'prompt') }];

/** The names of the layers of the context, in the order in which they run. */
const LAYERS: Readonly<Record<string, string>> = {
  tool_result_budget: 'Long results to files',
  snip: 'Old results',
  microcompact: 'Results to be had again',
  collapse: 'Finished work',
  autocompact: 'Summaries',
  api_compaction: 'Summaries by the API',
};

/** Lists what each layer of the context left out so far, and what the API left out of the newest request; empty when none did. */
export const layerFacts = ({
  layers,
  cleared,
}: Pick<Transcript, 'layers' | 'cleared'>): readonly UsageFact[] => [
  ...Object.entries(layers).map(([layer, { acts, freed }]) => ({
    label: LAYERS[layer] ?? layer,
    value: tokens(Math.max(0, freed)),
    note: acts === 1 ? 'once' : `${acts} times`,
  })),
  ...(cleared === null
    ? []
    : [
        {
          label: 'By the API, newest request',
          value: tokens(cleared.tokens),
          note: plural(cleared.results, 'result'),
        },
      ]),
];

/** Lists the tokens of a session and their cost. */
export function sessionFacts({
  costs,
  promptsAnswered,
  roundTrips,
}: Pick<Transcript, 'costs' | 'promptsAnswered' | 'roundTrips'>) {
  const { usage, costUsd } = costs.total;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const share = input === 0 ? {} : { note: `${Math.round((cacheReadTokens / input) * 100)} %` };
  const facts: readonly UsageFact[] = [
    { label: 'Cost', value: money(costUsd) },
    { label: 'Prompts answered', value: String(promptsAnswered) },
    { label: 'Requests for them', value: String(roundTrips) },
    { label: 'Tokens out', value: tokens(outputTokens) },
    { label: 'Tokens in', value: tokens(input) },
    { label: 'from the cache', value: tokens(cacheReadTokens), ...share },
    { label: 'put into the cache', value: tokens(cacheWriteTokens) },
    { label: 'new', value: tokens(inputTokens) },
  ];
  return facts;
}

/** Lists how much of each window of the plan is used; empty where no answer told of a plan. */
export const planFacts = (
  { planLimits }: Pick<Transcript, 'planLimits'>,
  timeOf: (seconds: number) => string,
): readonly UsageFact[] =>
  Object.entries(planLimits?.windows ?? {}).map(([window, { used, resetsAt }]) => ({
    label: PLAN_WINDOWS[window as PlanWindow],
    value: used === undefined ? '' : `${Math.round(used * 100)} %`,
    ...(resetsAt === undefined ? {} : { note: `until ${timeOf(resetsAt)}` }),
  }));

/** Lists the speed of the last request; empty when nothing was measured. */
export function speedFacts({
  tokensPerSecond,
  ttftMs,
}: Pick<Transcript, 'tokensPerSecond' | 'ttftMs'>): readonly UsageFact[] {
  const speed = { label: 'Speed', value: `${tokens(Math.round(tokensPerSecond ?? 0))} tokens/s` };
  const first = { label: 'First word after', value: duration(ttftMs ?? 0) };
  return [...(tokensPerSecond === null ? [] : [speed]), ...(ttftMs === null ? [] : [first])];
}

/** Describes what happens when the window fills up, and from which size; null while unknown. */
export function fullNote({ context }: Pick<Transcript, 'context'>, share: number): string | null {
  const at = context?.compactAt;
  if (at === null)
    return share >= FILLING ? 'Nearly full, and summaries are off: /compact makes room.' : null;
  if (context && at !== undefined && context.usedTokens >= at)
    return 'Full: older messages are summarised before the next request.';
  if (share >= FILLING) return 'Nearly full: older messages will be summarised soon.';
  return at === undefined ? null : `Older messages are summarised at ${tokens(at)}.`;
}

/** From this share of the window on the user should know. */
const FILLING = 0.8;
