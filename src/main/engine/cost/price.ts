import type { Usage } from '../../../shared/message';
import { factsOf } from '../model/catalog';

/** A price, and whether it is one: the tokens of an unknown model cost 0 here and are flagged. */
export interface Priced {
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

/** Returns the price alone, in USD; 0 for an unknown model. */
export const price = (usage: Usage, model: string): number => priceOf(usage, model).usd;
