import type { Stamped } from '../../../shared/agent-event';
import { compact } from '../context/compact';
import { countTokens } from '../context/tokens';
import type { QueryDeps } from './query-deps';
import { recorded } from './record';

/**
 * Summarises the conversation because a person asked for it (SPEC F7). A failure becomes one notice; nothing
 * changes then. `focus` is what they want kept above all. Never throws.
 */
export async function* compactNow(
  focus: string | undefined,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<Stamped, void> {
  try {
    const why = yield* attempt(focus, deps, signal);
    if (why !== null) yield failure(deps, why);
  } catch (thrown) {
    if (signal.aborted) return;
    yield failure(deps, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Why it failed; null when it did not. */
async function* attempt(
  focus: string | undefined,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<Stamped, string | null> {
  const history = deps.history();
  const request = await deps.buildRequest(history, signal);
  const tokensBefore = countTokens(history, request);
  const options = { tokensBefore, ...(focus === undefined ? {} : { focus }) };
  const outcome = yield* recorded(compact(history, options, deps, signal), deps);
  if (outcome.kind === 'failed') return outcome.why;
  if (outcome.kind === 'compacted') {
    const windowTokens = deps.contextWindow(request.model);
    yield deps.record({ type: 'context_changed', usedTokens: outcome.tokensAfter, windowTokens });
  }
  return null;
}

const failure = (deps: QueryDeps, why: string): Stamped =>
  deps.record({
    type: 'notice',
    level: 'warning',
    code: 'compaction_failed',
    text: `The conversation could not be summarised: ${why}`,
  });
