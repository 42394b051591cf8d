import type { InputPrices } from '../cost/price';

/** An edit of the context that could be made now. Sizes are tokens. */
export interface EditOffer {
  /** No longer sent with any later request. */
  readonly freed: number;
  /** Behind the first change and still sent: the cache does not have it any more. */
  readonly rewritten: number;
  /** The mean number of requests that have carried what goes. */
  readonly heldTurns: number;
}

/** The facts around an edit. */
export interface CacheFacts {
  readonly prices: InputPrices;
  /** The cache is gone, because nothing was asked for longer than it lives: all is written again anyway. */
  readonly isCold: boolean;
  /** The requests that a limit leaves to this query; null: no limit. */
  readonly turnsLeft: number | null;
}

/** The value of an edit, in tokens of plain input. */
export interface EditValue {
  readonly saves: number;
  readonly costs: number;
  /** The requests that it is expected to make cheaper. */
  readonly expectedTurns: number;
}

/** The share of what goes that the model is expected to ask for again. */
const AGAIN_SHARE = 0.1;

/**
 * Values an edit (docs/context.md). It saves one cache read of what goes for each request to come. As many are expected
 * as have carried it so far: who waits until then has paid at most twice what would have been best. It costs one cache write
 * of what stays behind the first change, instead of a read, and what the model asks for again. Pure.
 */
export function editValue(
  { freed, rewritten, heldTurns }: EditOffer,
  { prices, isCold, turnsLeft }: CacheFacts,
): EditValue {
  const expectedTurns = Math.min(heldTurns, turnsLeft ?? heldTurns);
  const again = freed * AGAIN_SHARE * prices.write;
  return {
    saves: freed * (expectedTurns * prices.read + (isCold ? prices.write : 0)),
    costs: again + (isCold ? 0 : rewritten * Math.max(0, prices.write - prices.read)),
    expectedTurns,
  };
}

/** Tells whether an edit is worth more than it costs. Pure. */
export function isWorth(offer: EditOffer, facts: CacheFacts): boolean {
  const { saves, costs } = editValue(offer, facts);
  return saves > costs;
}
