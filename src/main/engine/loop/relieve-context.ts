import { relieve } from '../context/pipeline';
import { contextBudget } from './prepare-turn';
import type { Next, Settled } from './settled';
import { RESUME_TEXT } from './texts';
import { abortTerminal } from './transitions';

/** Makes a context smaller that does not fit the window, and sends it again; ends when no layer can (docs/spec.md A5). */
export async function relieveContext(settled: Settled): Promise<Next> {
  const { state, turn, request, context } = settled;
  const { deps, signal } = context;
  const budget = contextBudget(request, deps);
  const relief = await relieve(deps, budget, state.relieved, signal);
  if (relief === null) {
    const terminal = signal.aborted ? abortTerminal(turn.answered) : 'prompt_too_long';
    return { kind: 'end', terminal };
  }
  // An answer that the full window cut is gone on with; a refused request is simply sent again.
  const resumes = turn.answered && turn.calls.length === 0;
  return {
    kind: 'continue',
    reason: relief.retry,
    state: { ...state, relieved: [...state.relieved, relief.layer] },
    ...(resumes ? { say: RESUME_TEXT } : {}),
  };
}
