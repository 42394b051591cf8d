import type { Usage } from '../../../shared/message';
import { addUsage, NO_USAGE } from '../../../shared/transcript';
import { factsOf } from '../model/catalog';

/** What was used of one model, or in all. */
export interface CostEntry {
  readonly usage: Usage;
  readonly costUsd: number;
  readonly requests: number;
  /** Milliseconds spent on requests. */
  readonly apiMs: number;
  /** False when some tokens were of a model without a known price: the true cost is higher. */
  readonly priceKnown: boolean;
}

/** One finished request. `queryId` is absent for side calls outside any query. */
export interface CostRecord {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly apiMs?: number;
  readonly queryId?: string;
}

/**
 * Adds up what a session costs: in all, per model, and for the latest queries. Side calls and sub-agents
 * are recorded like any other request. One per session; refilled from the log when a session is resumed.
 */
export interface CostLedger {
  record(record: CostRecord): void;
  total(): CostEntry;
  byModel(): ReadonlyMap<string, CostEntry>;
  /** Zeros for a query that cost nothing or is long past. */
  ofQuery(queryId: string): CostEntry;
}

export const NO_COST: CostEntry = {
  usage: NO_USAGE,
  costUsd: 0,
  requests: 0,
  apiMs: 0,
  priceKnown: true,
};

/** How many queries are told apart; older ones only count in the totals. */
const KEPT_QUERIES = 1000;

/** An empty ledger. */
export function createCostLedger(): CostLedger {
  let total = NO_COST;
  const models = new Map<string, CostEntry>();
  const queries = new Map<string, CostEntry>();
  return {
    record: (record) => {
      total = add(total, record);
      models.set(record.model, add(models.get(record.model) ?? NO_COST, record));
      if (record.queryId === undefined) return;
      queries.set(record.queryId, add(queries.get(record.queryId) ?? NO_COST, record));
      const oldest = queries.keys().next().value;
      if (queries.size > KEPT_QUERIES && oldest !== undefined) queries.delete(oldest);
    },
    total: () => total,
    byModel: () => new Map(models),
    ofQuery: (queryId) => queries.get(queryId) ?? NO_COST,
  };
}

const add = (entry: CostEntry, record: CostRecord): CostEntry => ({
  usage: addUsage(entry.usage, record.usage),
  costUsd: entry.costUsd + record.costUsd,
  requests: entry.requests + 1,
  apiMs: entry.apiMs + (record.apiMs ?? 0),
  priceKnown: entry.priceKnown && factsOf(record.model) !== null,
});
