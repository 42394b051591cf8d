import type { QueryLimits } from '../../../shared/agent-event';
import { canCompact, compact } from '../context/compact';
import { recordAll } from '../context/layer';
import { contextChanged } from '../context/limits';
import { contextBudget } from './prepare-turn';
import type { QueryDeps } from './query-deps';
import { recordEnd } from './run-query';
import { type Ending, noTotals } from './state';
import { BUDGET_SPENT, NOTHING_TO_COMPACT, STOPPED } from './texts';
import { abortTerminal } from './transitions';

/** A summary that a person asks for. */
export interface CompactQuery {
  readonly queryId: string;
  /** The things they want kept above all. */
  readonly focus: string | undefined;
  readonly limits: QueryLimits;
}

/**
 * Summarises the conversation because a person asked for it (docs/spec.md F7): a query without turns, so that it is shown,
 * stopped, paid for and reported like any other. When it fails, its end says why and nothing changes. Never throws.
 */
export async function compactNow(
  { queryId, focus, limits }: CompactQuery,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now();
  const totals = noTotals();
  deps.record({ type: 'query_started', queryId });
  const ending = await attempt(focus, limits, deps, signal);
  recordEnd({ queryId, ending, totals, startedAt }, deps);
}

async function attempt(
  focus: string | undefined,
  { maxBudgetUsd }: QueryLimits,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<Ending> {
  const history = deps.history();
  if (maxBudgetUsd !== null && maxBudgetUsd <= 0) return ended('max_budget', BUDGET_SPENT);
  if (!canCompact(history)) {
    deps.record({
      type: 'notice',
      level: 'info',
      code: 'nothing_to_compact',
      text: NOTHING_TO_COMPACT,
    });
    return ended('completed', NOTHING_TO_COMPACT);
  }
  try {
    const request = await deps.buildRequest(history, signal);
    const tokensBefore = contextBudget(request, deps).tokens;
    const options = { trigger: 'manual', tokensBefore, focus } as const;
    const outcome = await recordAll(compact(history, options, deps, signal), deps.record);
    if (outcome.kind === 'aborted') return ended(abortTerminal(false), STOPPED);
    if (outcome.kind === 'failed') return ended('model_error', failure(outcome.why));
    const { tokensAfter } = outcome;
    const next = await deps.buildRequest(deps.history(), signal);
    deps.record(contextChanged(tokensAfter, next, deps));
    return ended('completed', done(tokensBefore, tokensAfter));
  } catch (thrown) {
    if (signal.aborted) return ended(abortTerminal(false), STOPPED);
    return ended('model_error', failure(thrown instanceof Error ? thrown.message : String(thrown)));
  }
}

const ended = (terminal: Ending['terminal'], text: string): Ending => ({
  terminal,
  text,
  stopReason: null,
});

const failure = (why: string): string =>
  `The conversation could not be summarised and is as it was: ${why}`;

const done = (before: number, after: number): string =>
  `The conversation was summarised: ${before} tokens became ${after}.`;
