import { overflowStep, reactiveCompact } from '../context/reactive-compact';
import { countTokens } from '../context/tokens';
import { recorded } from './record';
import type { Next, Settled } from './settled';
import { RESUME_TEXT } from './texts';
import { abortTerminal } from './transitions';

/** The context does not fit the window: pending collapses, then one compaction, then the error (SPEC A5). */
export async function makeRoom(settled: Settled): Promise<Next> {
  const { turn, context } = settled;
  const reason = await tryInOrder(settled);
  if (reason === null) {
    const aborted = context.signal.aborted;
    return { kind: 'end', terminal: aborted ? abortTerminal(turn.answered) : 'prompt_too_long' };
  }
  // An answer that the full window cut is gone on with; a refused request is simply sent again.
  const resumes = turn.answered && turn.calls.length === 0;
  return { kind: 'continue', reason, ...(resumes ? { say: RESUME_TEXT } : {}) };
}

async function tryInOrder({
  state,
  request,
  context,
}: Settled): Promise<'collapse_drain_retry' | 'reactive_compact_retry' | null> {
  const { deps, signal } = context;
  let { drained } = state;
  while (!signal.aborted) {
    const pendingCollapses = deps.collapses.pending();
    switch (overflowStep({ drained, compacted: state.compacted, pendingCollapses })) {
      case 'drain':
        if (await recorded(deps.collapses.drain(signal), deps)) return 'collapse_drain_retry';
        drained = true;
        continue;
      case 'compact': {
        const history = deps.history();
        const before = countTokens(history, request);
        const shorter = await recorded(reactiveCompact(history, before, deps, signal), deps);
        return shorter ? 'reactive_compact_retry' : null;
      }
      case 'give_up':
        return null;
    }
  }
  return null;
}
