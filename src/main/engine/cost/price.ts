import type { AgentEvent } from '../../../shared/agent-event';
import type { Usage } from '../../../shared/message';
import { DEMO_MODEL } from '../../../shared/settings';
import { factsOf } from '../model/catalog';

/** A price, and whether it is one: the tokens of an unknown model cost 0 here and are flagged. */
interface Priced {
  readonly usd: number;
  readonly known: boolean;
}

const PER_MTOK = 1_000_000;

/** Returns what the tokens of one request cost. Cache reads and writes have prices of their own. */
function priceOf(usage: Usage, model: string): Priced {
  const prices = factsOf(model)?.prices;
  if (prices === undefined) return { usd: 0, known: false };
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const { long } = prices;
  const rate = long !== undefined && prompt > long.above ? long : prices;
  const usd =
    (usage.inputTokens * rate.input +
      usage.outputTokens * rate.output +
      usage.cacheReadTokens * rate.cacheRead +
      usage.cacheWriteTokens * rate.cacheWrite) /
    PER_MTOK;
  return { usd, known: true };
}

/**
 * Returns the price alone, in USD: that of `model`, or of the model that was `asked` for where a server's own name for what
 * answers is unknown; 0 where both are.
 */
export function price(usage: Usage, model: string, asked = model): number {
  const { usd, known } = priceOf(usage, model);
  return known ? usd : priceOf(usage, asked).usd;
}

/** Tells whether an event is an answer that counts as nothing: no price is known for its model, or it does not say what it used. */
export const isUnpriced = (
  event: AgentEvent,
): event is Extract<AgentEvent, { type: 'message_finished' }> =>
  // The demo costs nothing.
  event.type === 'message_finished' && event.costUsd === 0 && event.model !== DEMO_MODEL;

/** Returns what a user is told whose limit of dollars such answers never reach. */
export const unpricedNotice = (model: string): AgentEvent => ({
  type: 'notice',
  level: 'warning',
  code: 'unpriced',
  text: `What answers of ${model} cost is not known here: they count as nothing, and no limit of dollars stops them. A limit of turns does.`,
});

/** The prices of input tokens, in those of plain input: 1. */
export interface InputPrices {
  /** Of tokens that the prompt cache has. */
  readonly read: number;
  /** Of tokens that are put into it. */
  readonly write: number;
}

/** The prices of an unknown model, in those of its plain input: as most have them. */
const USUAL_PRICES: InputPrices = { read: 0.1, write: 1.25 };

/** Returns what a model takes for tokens that its cache has or gets, in prices of plain input. */
export function inputPrices(model: string): InputPrices {
  const prices = factsOf(model)?.prices;
  if (prices === undefined || prices.input === 0) return USUAL_PRICES;
  return { read: prices.cacheRead / prices.input, write: prices.cacheWrite / prices.input };
}
