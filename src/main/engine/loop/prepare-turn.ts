import { budgetOf, type ContextBudget, contextChanged, limitsFor } from '../context/limits';
import { runLayers, summarisesAt } from '../context/pipeline';
import { countTokens } from '../context/tokens';
import { newestBoundary } from '../messages/normalize';
import type { ModelRequest } from '../model/model-client';
import type { QueryDeps } from './query-deps';
import { type Ending, isRetry, type QueryContext, type State } from './state';
import { BLOCKED_CONTEXT_TEXT, STOPPED } from './texts';
import { taskBudget } from './token-budget';
import { abortReason } from './transitions';

/** A request to be sent, or the reason that nothing is sent. */
export type Prepared =
  | { readonly kind: 'request'; readonly request: ModelRequest }
  | { readonly kind: 'end'; readonly ending: Ending };

/** Does everything before a request: facts for the model, the layers of the context, the request itself. */
export async function prepareTurn(state: State, context: QueryContext): Promise<Prepared> {
  const { deps, queryId, signal } = context;
  // The same request again takes the same facts along; after a pause nothing may come in between.
  if (!state.paused && !isRetry(state.transition)) await recordAttachments(deps, signal);
  deps.record({ type: 'turn_started', queryId, turn: state.turnCount });
  const first = await requestOf(state, context);
  if (state.paused) return { kind: 'request', request: first };
  const boundary = lastBoundary(deps);
  const { maxTurns } = context.limits;
  const turnsLeft = maxTurns === null ? null : maxTurns - state.turnCount + 1;
  const freed = await runLayers(deps, contextBudget(first, deps, turnsLeft), signal);
  if (signal.aborted) return { kind: 'end', ending: ABORTED };
  const request = freed > 0 ? await requestOf(state, context) : first;
  const budget = contextBudget(request, deps);
  if (freed > 0) deps.record(contextChanged(budget.tokens, request, deps));
  const isFresh = lastBoundary(deps) !== boundary || state.transition === 'reactive_compact_retry';
  return !isFresh && isBlocked(budget, state, deps)
    ? { kind: 'end', ending: BLOCKED }
    : { kind: 'request', request };
}

/** Measures what a request puts into the window. */
export const contextBudget = (
  request: ModelRequest,
  deps: QueryDeps,
  turnsLeft: number | null = null,
): ContextBudget =>
  budgetOf(countTokens(deps.history(), request, deps.cuts()), limitsFor(request, deps), {
    prices: deps.inputPrices(request.model),
    isCold: !isCacheWarm(deps.answeredAt(), deps.clock.date()),
    turnsLeft,
  });

/** Tells how the next request would fill the window, by category, without sending it. */
export async function measureContext(deps: QueryDeps, signal: AbortSignal): Promise<void> {
  const request = await deps.buildRequest(deps.history(), signal);
  if (signal.aborted) return;
  deps.record(contextChanged(contextBudget(request, deps).tokens, request, deps));
}

/** The time for which the API keeps a prompt since it was read last. Milliseconds. */
const CACHE_LIFE_MS = 300_000;

/** Tells whether the API still has the prompt of an answer. Both are dates: an answer of tomorrow, by a clock that was wrong, may be old. */
export const isCacheWarm = (answeredAt: number, date: number): boolean =>
  answeredAt <= date && date - answeredAt <= CACHE_LIFE_MS;

/** Tells whether a request is too large to be sent. It is sent if a summary will follow should the API refuse it. */
const isBlocked = (
  { level, limits }: ContextBudget,
  state: State,
  { layers }: QueryDeps,
): boolean =>
  level === 'blocked' &&
  summarisesAt(
    layers.filter(({ name }) => !state.relieved.includes(name)),
    limits,
  ) === null;

const lastBoundary = ({ history }: QueryDeps): string | undefined => newestBoundary(history())?.id;

const BLOCKED: Ending = {
  terminal: 'blocking_limit',
  text: BLOCKED_CONTEXT_TEXT,
  stopReason: null,
};
const ABORTED: Ending = {
  terminal: abortReason(false),
  text: STOPPED,
  stopReason: null,
};

async function requestOf(state: State, { deps, signal }: QueryContext): Promise<ModelRequest> {
  const request = await deps.buildRequest(deps.history(), signal);
  return {
    ...request,
    ...(state.maxTokens === null ? {} : { maxTokens: state.maxTokens }),
    ...(state.budget === null
      ? {}
      : { taskBudget: taskBudget(state.budget, deps.facts().outputAtSummary) }),
  };
}

async function recordAttachments(deps: QueryDeps, signal: AbortSignal): Promise<void> {
  for (const attachment of await deps.attachments(signal)) {
    deps.record({ type: 'attachment', id: deps.ids.next('att'), ...attachment });
  }
}
