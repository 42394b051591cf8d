import type { QueryLimits } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { ApiFailure, ContinueReason, EndReason, StopReason } from '../../../shared/turn';
import type { ModelRequest } from '../model/model-client';
import type { QueryDeps } from './query-deps';
import type { TurnOutcome } from './stream-turn';
import { type BudgetProgress, startBudget } from './token-budget';
import { NO_REPEATS, type Repeats } from './transitions';

/** The output tokens of the one request that is sent again with more room. docs/spec.md A5. */
const ESCALATED_OUTPUT_TOKENS = 64_000;

/** The state of a query between two turns (docs/spec.md A2). Never changed, only replaced. */
export interface State {
  readonly messages: readonly Message[];
  /** API round trips; the first is 1. A request that was refused and is sent again keeps its number. */
  readonly turnCount: number;
  /** The reason the loop went round; null at the first turn. */
  readonly transition: ContinueReason | null;
  /** The server paused its own work in the last answer and goes on when it gets it back unchanged. */
  readonly paused: boolean;
  /** The number of times in a row that the server paused its own work. */
  readonly pauses: number;
  /** Output tokens to ask for instead of the usual; set when an answer was cut. */
  readonly maxTokens: number | null;
  /** The number of times that this answer was resumed after the output limit. */
  readonly outputRecoveries: number;
  /** The text so far of an answer that is gone on with. */
  readonly carriedText: string;
  /** The layers that have made this stretch's context smaller after the API refused it. */
  readonly relieved: readonly string[];
  /** The model goes on because a stop hook said so. */
  readonly stopHookActive: boolean;
  readonly repeats: Repeats;
  readonly budget: BudgetProgress | null;
}

/** Creates the state before the first turn. */
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

/** The part of the state that every answer begins with: no recovery used up yet. */
const FRESH = {
  maxTokens: null,
  outputRecoveries: 0,
  carriedText: '',
  relieved: [],
} as const;

/** The facts that the next state is made from. */
export interface Advance {
  readonly reason: ContinueReason;
  readonly turn: Pick<TurnOutcome, 'text' | 'stopReason' | 'answered'>;
  /** The history as it is now. */
  readonly messages: readonly Message[];
  /** The most output the model can give. Tokens. */
  readonly maxOutput: number;
}

/** Makes the state after a turn (docs/spec.md A2). Pure. */
export function advance(state: State, { reason, turn, messages, maxOutput }: Advance): State {
  const paused = turn.stopReason === 'pause_turn';
  const pauses = paused ? state.pauses + 1 : 0;
  const base = { ...state, messages, transition: reason, paused, pauses };
  const onward = { ...base, turnCount: state.turnCount + 1 };
  // A request that was refused is sent again under its number; one that was answered was a round trip.
  const again = turn.answered ? onward : base;
  switch (reason) {
    case 'collapse_drain_retry':
    case 'reactive_compact_retry':
      return { ...again, carriedText: state.carriedText + turn.text };
    case 'max_output_tokens_escalate':
      return { ...again, maxTokens: escalatedOutput(maxOutput) };
    case 'max_output_tokens_recovery':
      return {
        ...onward,
        outputRecoveries: state.outputRecoveries + 1,
        carriedText: state.carriedText + turn.text,
      };
    case 'next_turn':
      return { ...onward, ...FRESH, carriedText: paused ? state.carriedText + turn.text : '' };
    case 'stop_hook_blocking':
      return { ...onward, ...FRESH, stopHookActive: true };
    case 'queued_prompt':
    case 'limit_lifted':
    case 'restarted':
    case 'asked_again':
    case 'token_budget_continuation':
      return { ...onward, ...FRESH };
  }
}

/** Returns the output tokens of the escalated request, for a model that can give at most `maxOutput`. */
export const escalatedOutput = (maxOutput: number): number =>
  Math.min(ESCALATED_OUTPUT_TOKENS, maxOutput);

const RETRIES: ReadonlySet<ContinueReason> = new Set([
  'max_output_tokens_escalate',
  'collapse_drain_retry',
  'reactive_compact_retry',
]);

/** Tells whether the same request goes out again, so that nothing new may come in before it. */
export const isRetry = (reason: ContinueReason | null): boolean =>
  reason !== null && RETRIES.has(reason);

/** The end of a query. */
export interface Ending {
  readonly terminal: EndReason;
  /** The answer, or what went wrong, for a user. */
  readonly text: string;
  readonly stopReason: StopReason | null;
  /** The failure of the API that ended it. */
  readonly failure?: ApiFailure;
}

/** Counts of a query that its events do not tell. Tokens and money are in its facts. */
export interface Totals {
  /** Milliseconds spent waiting for answers; requests beside the conversation are in the facts of the query. */
  apiMs: number;
  turns: number;
}

/** Creates counts of nothing. */
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

/** A turn whose answer and calls are over, with all that the decision after it may need. */
export interface FinishedTurn {
  readonly state: State;
  readonly turn: TurnOutcome;
  readonly request: ModelRequest;
  readonly context: QueryContext;
  /** The reason that a hook wants the query to end. */
  readonly hookStop: string | null;
}

/** The next state, or the end of the query. */
export type Step =
  | { readonly kind: 'state'; readonly state: State }
  | { readonly kind: 'end'; readonly ending: Ending };
