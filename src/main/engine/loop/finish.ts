import type { Continue } from '../../../shared/turn';
import type { Next, Settled } from './settled';
import { blockedText } from './texts';
import { nudge, nudgeText } from './token-budget';
import { abortTerminal } from './transitions';

/**
 * The model has nothing more to do (SPEC A4): stop hooks may send it back or end the query, prompts that came
 * meanwhile go in, and a token budget that is not used up makes it go on.
 */
export async function finish(settled: Settled): Promise<Next> {
  const { state, turn, context } = settled;
  const { deps, signal } = context;
  const text = state.carriedText + turn.text;
  const verdict = await deps.stopHooks({ text, stopHookActive: state.stopHookActive }, signal);
  if (signal.aborted) return { kind: 'end', terminal: abortTerminal(turn.answered) };
  if (verdict.kind === 'prevent') {
    return { kind: 'end', terminal: 'stop_hook_prevented', text: verdict.reason };
  }
  if (verdict.kind === 'block') {
    return unlessLast(settled, 'stop_hook_blocking', { say: blockedText(verdict.message) });
  }
  if (deps.queuedCount() > 0) return unlessLast(settled, 'queued_prompt');
  const spent = deps.facts().spend.usage.outputTokens;
  const budget = state.budget && nudge(state.budget, spent);
  if (!budget || isLast(settled)) return { kind: 'end', terminal: 'completed' };
  const more = { say: nudgeText(budget, spent), state: { ...state, budget } };
  return unlessLast(settled, 'token_budget_continuation', more);
}

const isLast = ({ state, context: { limits } }: Settled): boolean =>
  limits.maxTurns !== null && state.turnCount >= limits.maxTurns;

const unlessLast = (
  settled: Settled,
  reason: Continue,
  more: Partial<Extract<Next, { kind: 'continue' }>> = {},
): Next =>
  isLast(settled) ? { kind: 'end', terminal: 'max_turns' } : { ...more, kind: 'continue', reason };
