import type { QueryLimits } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { Continue, StopReason, Terminal } from '../../../shared/turn';
import type { QueryDeps } from './query-deps';
import { NO_REPEATS, type Repeats } from './repeat-guard';
import { type BudgetProgress, startBudget } from './token-budget';

/** Where a query stands between two turns (SPEC A2). Never changed, only replaced. */
export interface State {
  readonly messages: readonly Message[];
  /** API round trips; the first is 1. A request that was refused and is sent again keeps its number. */
  readonly turnCount: number;
  /** Why the loop went round; null at the first turn. */
  readonly transition: Continue | null;
  /** The server paused its own work in the last answer and goes on when it gets it back unchanged. */
  readonly paused: boolean;
  /** How often in a row the server paused its own work. */
  readonly pauses: number;
  /** Output tokens to ask for instead of the usual; set when an answer was cut. */
  readonly maxTokens: number | null;
  /** How often this answer was resumed after the output limit. */
  readonly outputRecoveries: number;
  /** What was already said of an answer that is gone on with. */
  readonly carriedText: string;
  /** The layers that have made this stretch's context smaller after the API refused it. */
  readonly relieved: readonly string[];
  /** The model goes on because a stop hook said so. */
  readonly stopHookActive: boolean;
  readonly repeats: Repeats;
  readonly budget: BudgetProgress | null;
}

/** The state before the first turn. */
export const firstState = (messages: readonly Message[], tokenBudget: number | null): State => ({
  messages,
  turnCount: 1,
  transition: null,
  paused: false,
  pauses: 0,
  ...FRESH,
  stopHookActive: false,
  repeats: NO_REPEATS,
  budget: tokenBudget === null ? null : startBudget(tokenBudget),
});

/** What every answer begins with: no recovery used up yet. */
export const FRESH = {
  maxTokens: null,
  outputRecoveries: 0,
  carriedText: '',
  relieved: [],
} as const;

/** How a query ended. */
export interface Ending {
  readonly terminal: Terminal;
  /** The answer, or what went wrong, for a person. */
  readonly text: string;
  readonly stopReason: StopReason | null;
}

/** Counts of a query that its events do not tell. Tokens and money are in its facts. */
export interface Totals {
  /** Milliseconds spent waiting for answers; requests beside the conversation are in the facts of the query. */
  apiMs: number;
  turns: number;
}

/** Nothing yet. */
export const noTotals = (): Totals => ({ apiMs: 0, turns: 0 });

/** Everything that stays the same while a query runs. */
export interface QueryContext {
  readonly queryId: string;
  readonly limits: QueryLimits;
  readonly deps: QueryDeps;
  readonly totals: Totals;
  /** The query's own; turns have signals that follow it. */
  readonly signal: AbortSignal;
}
