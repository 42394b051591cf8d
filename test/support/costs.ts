import type { CostView } from '../../src/shared/cost-view';
import { NO_USAGE } from '../../src/shared/facts';

/** A day on which nothing was spent, and no other day. */
export const NO_COSTS_YET: CostView = {
  today: {
    ...{ day: '2026-11-23', usd: 0, requests: 0, usage: NO_USAGE, lastHourUsd: 0, byHour: [] },
    ...{ bySession: [], byModel: [], byAgent: [], byUse: [], misses: [] },
  },
  days: [],
  limitUsd: null,
  raisedUsd: 0,
};
