import type { AgentEvent, QueryLimits, Stamped } from '../../../shared/agent-event';
import { MAIN_AGENT } from '../../../shared/agent-event';
import type { DayLedger } from '../cost/day-ledger';
import { BUDGET_SPENT } from '../loop/texts';
import { countSpending, type Spending } from '../query-engine/options';

export interface MoneyGuardOptions {
  readonly ledger: DayLedger;
  /** Returns the dollars that the session has spent since it was made. */
  readonly totalUsd: () => number;
  /** Returns the limits of the session. */
  readonly limits: () => QueryLimits;
  /** Returns the limit of a day over all sessions, in dollars; undefined: none. */
  readonly dayLimit: () => number | undefined;
}

/** Watches the money of a session: its own limit, and that of the day over all sessions (docs/spec.md M7). */
export function createMoneyGuard(options: MoneyGuardOptions): Spending {
  const { ledger, limits } = options;
  const count = countSpending(options.totalUsd);
  /** The limit of today, which people may have raised; null: none holds for this session. */
  const dayLimit = (): number | null => {
    const usd = options.dayLimit();
    return usd === undefined || limits().overDay === true ? null : usd + ledger.raisedUsd();
  };
  const dayLeft = (): number | null => {
    const limit = dayLimit();
    return limit === null ? null : limit - ledger.spentUsd();
  };
  const sessionLeft = (): number | null => {
    const { maxBudgetUsd } = limits();
    return maxBudgetUsd === null ? null : maxBudgetUsd - count.usd();
  };
  const isSpent = (left: number | null): boolean => left !== null && left <= 0;
  return {
    usd: count.usd,
    left: () => least(sessionLeft(), dayLeft()),
    refresh: () => (dayLimit() === null ? null : ledger.refresh()),
    reached: () => (isSpent(sessionLeft()) ? 'session' : isSpent(dayLeft()) ? 'day' : null),
    why: () => {
      const limit = dayLimit();
      const daily = options.dayLimit() ?? 0;
      if (limit === null || isSpent(sessionLeft()) || !isSpent(dayLeft())) return BUDGET_SPENT;
      return dayText(ledger.spentUsd(), limit, daily);
    },
    restart: () => {
      const daily = options.dayLimit();
      if (isSpent(dayLeft()) && daily !== undefined) {
        // Others may have spent more than the limit by now: the raise is one that lets this go on.
        const over = Math.max(0, -(dayLeft() ?? 0));
        ledger.raise(Math.ceil((over + daily) * 100) / 100);
      }
      count.restart();
    },
  };
}

const least = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** Returns the words for a user when the money of the day is spent. `raise`: dollars that a raise lets them spend. */
const dayText = (spent: number, limit: number, raise: number): string =>
  `All sessions together have spent $${spent.toFixed(2)} today, and the limit of a day is $${limit.toFixed(2)} (maxDailyBudgetUsd in the settings). What was done is kept. Raised once, all sessions together may spend another $${raise.toFixed(2)} today; tomorrow the limit is as before.`;

/** Writes the requests of a session's agents into the ledger as they are recorded. */
export function keepCosts(
  ledger: DayLedger,
  session: { readonly id: string; readonly project: string },
  typeOf: (agentId: string) => string,
): (stamped: Stamped) => void {
  return ({ agentId, event }) => {
    // The place of a message differs each time; what broke the cache does not.
    if (event.type === 'notice' && event.code === 'cache_missed')
      ledger.miss(event.text.replace(/ #\d+/, ''));
    const paid = paidFor(event);
    if (paid === null) return;
    const agent = agentId === MAIN_AGENT ? MAIN_AGENT : typeOf(agentId);
    ledger.add({ session: session.id, project: session.project, agent, ...paid });
  };
}

/** Returns what an event says was paid for; null when nothing was. */
function paidFor(event: AgentEvent) {
  if (event.type === 'message_finished') {
    const { model, usage, costUsd: usd } = event;
    return { use: 'answers', model, usage, usd };
  }
  if (event.type !== 'side_call') return null;
  const { model, usage, costUsd: usd, tool, purpose } = event;
  return { use: tool ?? purpose, model, usage, usd };
}
