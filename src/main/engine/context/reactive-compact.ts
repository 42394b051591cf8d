import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { compact } from './compact';
import type { CompactDeps } from './compact-deps';

/** What can still be done about a prompt that the API found too long, the cheapest first. */
export type OverflowStep = 'drain' | 'compact' | 'give_up';

/** Picks the next step (SPEC A5); each is taken once per stretch. Pure. */
export function overflowStep(tried: {
  readonly drained: boolean;
  readonly compacted: boolean;
  readonly pendingCollapses: number;
}): OverflowStep {
  if (!tried.drained && tried.pendingCollapses > 0) return 'drain';
  return tried.compacted ? 'give_up' : 'compact';
}

/** Pending context collapses (SPEC F4), as the loop sees them. */
export interface Collapses {
  /** Folds that are prepared and not yet applied. */
  pending(): number;
  /** Applies them all. Yields what is to be recorded; returns whether anything was freed. */
  drain(signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
}

/** Where nothing is ever collapsed. */
export const NO_COLLAPSES: Collapses = {
  pending: () => 0,
  // biome-ignore lint/correctness/useYield: there is nothing to record
  drain: async function* () {
    return false;
  },
};

/**
 * A compaction because the API refused. A failure is noted in passing: the refusal itself ends the query and says
 * what to do. Returns whether the history is shorter now.
 */
export async function* reactiveCompact(
  history: readonly Message[],
  tokensBefore: number,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, boolean> {
  const outcome = yield* compact(history, { trigger: 'reactive', tokensBefore }, deps, signal);
  if (outcome.kind === 'failed') {
    yield {
      type: 'notice',
      level: 'info',
      code: 'compaction_failed',
      text: `The conversation is too long and could not be summarised: ${outcome.why}`,
    };
  }
  return outcome.kind === 'compacted';
}
