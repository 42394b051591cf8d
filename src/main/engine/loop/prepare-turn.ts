import { levelOf } from '../context/autocompact';
import { contextChanged } from '../context/context-facts';
import { countTokens } from '../context/tokens';
import type { ModelRequest } from '../model/model-client';
import { isRetry } from './advance';
import type { QueryDeps } from './query-deps';
import { recorded } from './record';
import type { Ending, QueryContext, State } from './state';
import { BLOCKED_CONTEXT_TEXT, STOPPED } from './texts';
import { taskBudget } from './token-budget';
import { abortTerminal } from './transitions';

/** What is to be sent, or why nothing is. */
export type Prepared =
  | { readonly kind: 'request'; readonly request: ModelRequest }
  | { readonly kind: 'end'; readonly ending: Ending };

/**
 * Everything before a request: facts for the model, the request itself, and, when the window fills up, a
 * summary in place of the older part (SPEC F5).
 */
export async function prepareTurn(state: State, context: QueryContext): Promise<Prepared> {
  const { deps, queryId, signal } = context;
  // The same request again takes the same facts along; after a pause nothing may come in between.
  if (!state.paused && !isRetry(state.transition)) await recordAttachments(deps, signal);
  deps.record({ type: 'turn_started', queryId, turn: state.turnCount });
  let request = await requestOf(state, context);
  let tokens = countTokens(deps.history(), request);
  if (!state.paused && deps.autocompact.wanted(level(tokens, request, deps))) {
    const shorter = await recorded(deps.autocompact.run(deps.history(), tokens, signal), deps);
    if (signal.aborted) return { kind: 'end', ending: ABORTED };
    if (shorter) {
      request = await requestOf(state, context);
      tokens = countTokens(deps.history(), request);
      deps.record(contextChanged(tokens, request, deps));
    }
  }
  return level(tokens, request, deps) === 'blocked'
    ? { kind: 'end', ending: BLOCKED }
    : { kind: 'request', request };
}

const BLOCKED: Ending = {
  terminal: 'blocking_limit',
  text: BLOCKED_CONTEXT_TEXT,
  stopReason: null,
};
const ABORTED: Ending = {
  terminal: abortTerminal(false),
  text: STOPPED,
  stopReason: null,
};

async function requestOf(
  state: State,
  { deps, totals, signal }: QueryContext,
): Promise<ModelRequest> {
  const request = await deps.buildRequest(deps.history(), signal);
  return {
    ...request,
    ...(state.maxTokens === null ? {} : { maxTokens: state.maxTokens }),
    ...(state.budget === null
      ? {}
      : { taskBudget: taskBudget(state.budget, totals.spentAtSummary) }),
  };
}

const level = (tokens: number, request: ModelRequest, deps: QueryDeps) =>
  levelOf(tokens, deps.contextWindow(request.model), request.maxTokens, deps.autocompactWindow());

async function recordAttachments(deps: QueryDeps, signal: AbortSignal): Promise<void> {
  for (const attachment of await deps.attachments(signal)) {
    deps.record({ type: 'attachment', id: deps.ids.next('att'), ...attachment });
  }
}
