import type { Terminal } from '../../../shared/turn';
import { advance, isRetry } from './advance';
import { failureOf } from './failure';
import { finish } from './finish';
import { tell, tellSynthetic } from './record';
import { relieveContext } from './relieve-context';
import { repeatText } from './repeat-guard';
import { dropNewImages, retract } from './retract';
import type { Next, Settled, Step } from './settled';
import { takeInQueued } from './take-in';
import { deferredText, endText, maxTurnsText, RESUME_TEXT } from './texts';
import type { Transition } from './transitions';

/** Carries out what was decided after a turn. */
export async function settleTurn(transition: Transition, settled: Settled): Promise<Step> {
  const next = await resolve(transition, settled);
  return next.kind === 'end' ? endWith(next.terminal, settled, next.text) : goOn(next, settled);
}

async function resolve(transition: Transition, settled: Settled): Promise<Next> {
  if (transition.kind === 'overflow') return relieveContext(settled);
  if (transition.kind === 'finish') return finish(settled);
  return transition;
}

/** The end; hooks are told when the API failed. */
async function endWith(terminal: Terminal, settled: Settled, text?: string): Promise<Step> {
  const step = endOf(terminal, settled, text);
  const { deps, signal } = settled.context;
  const failure = failureOf(terminal, settled.turn);
  if (step.kind === 'end' && failure !== null) {
    await deps.failureHooks?.({ ...failure, message: step.ending.text }, signal);
  }
  return step;
}

/** What an end leaves behind for model and person. */
function endOf(
  terminal: Terminal,
  { state, turn, context, hookStop }: Settled,
  text?: string,
): Step {
  const { deps, limits } = context;
  const ending = (words: string): Step => ({
    kind: 'end',
    ending: { terminal, text: words, stopReason: turn.stopReason },
  });
  if (terminal === 'tool_deferred') {
    const words = deferredText(deps.deferred()?.name ?? 'a tool');
    return { kind: 'end', ending: { terminal, text: words, stopReason: terminal } };
  }
  if (text !== undefined) return ending(text);
  if (terminal === 'hook_stopped') return ending(hookStop ?? 'A hook stopped this.');
  if (terminal === 'max_turns') tell(deps, 'max_turns_reached', maxTurnsText(limits));
  if (terminal === 'image_error') dropNewImages(deps);
  if (terminal === 'repeated_calls') {
    const words = repeatText(state.repeats);
    tell(deps, 'repeated_calls', words);
    return ending(words);
  }
  if (terminal === 'model_error' && turn.error === null) {
    // A refused answer that stays would make the model refuse what comes after it too.
    const refused = turn.stopReason === 'refusal' && turn.calls.length === 0;
    if (refused) retract(turn, 'The model declined to answer.', deps);
  }
  return ending(endText(terminal, turn, limits, state.carriedText));
}

/** Another round, with what goes in before it. */
async function goOn(next: Extract<Next, { kind: 'continue' }>, settled: Settled): Promise<Step> {
  const { turn, request, context } = settled;
  const { deps } = context;
  const { reason } = next;
  if (reason === 'max_output_tokens_escalate') {
    retract(turn, 'Cut at the output limit; asked again with more room.', deps);
  }
  deps.record({ type: 'continued', reason });
  const say = reason === 'max_output_tokens_recovery' ? RESUME_TEXT : next.say;
  if (say !== undefined) tellSynthetic(deps, say);
  if (!isRetry(reason) && turn.stopReason !== 'pause_turn') {
    await takeInQueued(deps, context.signal);
  }
  const state = advance(next.state ?? settled.state, {
    reason,
    turn,
    messages: deps.history(),
    maxOutput: deps.maxOutput(request.model),
  });
  return { kind: 'state', state };
}
