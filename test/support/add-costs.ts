import { type Costs, foldCosts, type Spends } from '../../src/shared/facts';

/** Returns costs with what one agent spent on some models. */
export function addCosts(before: Costs, agentId: string, spent: Spends): Costs {
  const fold = foldCosts(before);
  fold.add(agentId, spent);
  return fold.costs();
}
