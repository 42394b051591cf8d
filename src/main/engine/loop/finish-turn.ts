import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { ContinueReason, EndReason } from '../../../shared/turn';
import { relieve } from '../context/pipeline';
import { failureName } from '../model/errors';
import { contextBudget } from './prepare-turn';
import { admitQueued } from './prompt-queue';
import { type Failure, type QueryDeps, tell, tellSynthetic } from './query-deps';
import { advance, type FinishedTurn, isRetry, type State, type Step } from './state';
import type { TurnOutcome } from './stream-turn';
import { blockedText, cutCall, deferredText, endText, maxTurnsText, RESUME_TEXT } from './texts';
import { nudge, nudgeText } from './token-budget';
import { abortReason, repeatText, type Transition } from './transitions';

/** The way on from a turn. `say` goes to the model in the user's place; `text` is for the user. */
type Next =
  | {
      readonly kind: 'continue';
      readonly reason: ContinueReason;
      readonly say?: string;
      /** In place of the state so far. */
      readonly state?: State;
    }
  | { readonly kind: 'end'; readonly terminal: EndReason; readonly text?: string };

/** Carries out what was decided after a turn. */
export async function finishTurn(transition: Transition, finished: FinishedTurn): Promise<Step> {
  const next = await resolve(transition, finished);
  return next.kind === 'end' ? endWith(next.terminal, finished, next.text) : goOn(next, finished);
}

async function resolve(transition: Transition, finished: FinishedTurn): Promise<Next> {
  if (transition.kind === 'overflow') return relieveContext(finished);
  if (transition.kind === 'finish') return answerDone(finished);
  return transition;
}

/** Makes a context smaller that does not fit the window, and sends it again; ends when no layer can (docs/spec.md A5). */
async function relieveContext({ state, turn, request, context }: FinishedTurn): Promise<Next> {
  const { deps, signal } = context;
  const relief = await relieve(deps, contextBudget(request, deps), state.relieved, signal);
  if (relief === null) {
    const terminal = signal.aborted ? abortReason(turn.answered) : 'prompt_too_long';
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

/**
 * Finds the way on when the model has nothing more to do (docs/spec.md A4): stop hooks may send it back or end the query,
 * prompts that came meanwhile go in, and a token budget that is not used up makes it go on.
 */
async function answerDone(finished: FinishedTurn): Promise<Next> {
  const { state, turn, context } = finished;
  const { deps, signal } = context;
  const text = state.carriedText + turn.text;
  const answer = await deps.stopHooks({ text, stopHookActive: state.stopHookActive }, signal);
  if (signal.aborted) return { kind: 'end', terminal: abortReason(turn.answered) };
  if (answer.kind === 'prevent') {
    return { kind: 'end', terminal: 'stop_hook_prevented', text: answer.reason };
  }
  if (answer.kind === 'block') {
    return unlessLast(finished, 'stop_hook_blocking', { say: blockedText(answer.message) });
  }
  if (deps.queuedCount() > 0) return unlessLast(finished, 'queued_prompt');
  const spent = deps.facts().spend.usage.outputTokens;
  const budget = state.budget && nudge(state.budget, spent);
  if (!budget || isLast(finished)) return { kind: 'end', terminal: 'completed' };
  const more = { say: nudgeText(budget, spent), state: { ...state, budget } };
  return unlessLast(finished, 'token_budget_continuation', more);
}

const isLast = ({ state, context: { limits } }: FinishedTurn): boolean =>
  limits.maxTurns !== null && state.turnCount >= limits.maxTurns;

const unlessLast = (
  finished: FinishedTurn,
  reason: ContinueReason,
  more: Partial<Extract<Next, { kind: 'continue' }>> = {},
): Next =>
  isLast(finished) ? { kind: 'end', terminal: 'max_turns' } : { ...more, kind: 'continue', reason };

/** Ends the query; hooks are told when the API failed. */
async function endWith(terminal: EndReason, finished: FinishedTurn, text?: string): Promise<Step> {
  const step = endOf(terminal, finished, text);
  const { deps, signal } = finished.context;
  const failure = failureOf(terminal, finished.turn);
  if (step.kind !== 'end' || failure === null) return step;
  const { kind, details, status } = failure;
  await deps.failureHooks?.({ kind, details, message: step.ending.text }, signal);
  const told = { error: kind, ...(status === undefined ? {} : { status }) };
  return { ...step, ending: { ...step.ending, failure: told } };
}

/** Leaves behind what model and user are to know of an end. */
function endOf(
  terminal: EndReason,
  { state, turn, context, hookStop }: FinishedTurn,
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
  if (terminal === 'repeated_calls') {
    const words = repeatText(state.repeats);
    tell(deps, 'repeated_calls', words);
    return ending(words);
  }
  if (terminal === 'max_budget') return ending(deps.outOfMoney());
  if (terminal === 'max_turns') tell(deps, 'max_turns_reached', maxTurnsText(limits));
  if (terminal === 'image_error') dropNewImages(deps);
  // A refused answer that stays would make the model refuse what comes after it too.
  const isRefusal = terminal === 'model_error' && turn.error === null;
  if (isRefusal && turn.stopReason === 'refusal' && turn.calls.length === 0) {
    retract(turn, 'The model declined to answer.', deps);
  }
  return ending(endText(terminal, turn, limits, state.carriedText));
}

const FAILED: ReadonlySet<EndReason> = new Set(['model_error', 'image_error', 'prompt_too_long']);

/** Tells of a call whose answer was taken back, so that nothing else shows it. */
const cutNotice = (tool: string): AgentEvent => ({
  type: 'notice',
  level: 'error',
  code: 'call_cut',
  text: `The answer reached its output limit in the input of a call of ${tool}, which was not run. It is asked for again with more room.`,
});

/** Returns the failure of the API that ended a query; null when something else did. */
function failureOf(
  terminal: EndReason,
  { error, stopReason }: Pick<TurnOutcome, 'error' | 'stopReason'>,
): (Failure & { readonly status?: number | undefined }) | null {
  if (!FAILED.has(terminal)) return null;
  if (error !== null) {
    return { kind: failureName(error.kind), details: error.message, status: error.status };
  }
  if (terminal === 'prompt_too_long') return { kind: 'invalid_request', details: terminal };
  if (stopReason === 'max_tokens') return { kind: 'max_output_tokens', details: stopReason };
  return null;
}

/** Goes round once more, with what goes in before the next request. */
async function goOn(
  next: Extract<Next, { kind: 'continue' }>,
  { state, turn, request, context }: FinishedTurn,
): Promise<Step> {
  const { deps } = context;
  const { reason } = next;
  if (reason === 'max_output_tokens_escalate') {
    retract(turn, 'Cut at the output limit; asked again with more room.', deps);
    const cut = cutCall(turn.calls);
    if (cut !== null) deps.record(cutNotice(cut.name));
  }
  deps.record({ type: 'continued', reason });
  const say = reason === 'max_output_tokens_recovery' ? RESUME_TEXT : next.say;
  if (say !== undefined) tellSynthetic(deps, say);
  if (!isRetry(reason) && turn.stopReason !== 'pause_turn') {
    await admitQueued(deps, context.signal);
  }
  const maxOutput = deps.maxOutput(request.model);
  const messages = deps.history();
  return {
    kind: 'state',
    state: advance(next.state ?? state, { reason, turn, messages, maxOutput }),
  };
}

/**
 * Takes an answer back out of the history; it stays in the log. Only for answers of which no call ran. Nothing
 * when it never began.
 */
function retract(
  { messageId, calls }: Pick<TurnOutcome, 'messageId' | 'calls'>,
  reason: string,
  deps: QueryDeps,
): void {
  if (messageId === '') return;
  const ids = calls.map((call) => call.id);
  deps.record({
    type: 'tombstone',
    messageId,
    reason,
    ...(ids.length === 0 ? {} : { calls: ids }),
  });
}

/**
 * Takes out what carries an image and came after the last answer: the API refused one of those, and would
 * refuse it in every later request too. A mention is said to be left out, so that it is not attached again.
 */
function dropNewImages(deps: QueryDeps): void {
  const history = deps.history();
  const newest = history.slice(history.findLastIndex((m) => m.role === 'assistant') + 1);
  for (const message of newest.filter(hasImage)) {
    deps.record({
      type: 'tombstone',
      messageId: message.id,
      reason: 'The model refused an image in it.',
    });
    if (message.role !== 'attachment' || message.about === undefined) continue;
    const { kind, about } = message;
    const text = `${about} is not attached: the model cannot use its image.`;
    deps.record({ type: 'attachment', id: deps.ids.next('att'), kind, about, text });
  }
}

function hasImage(message: Message): boolean {
  if (message.role === 'attachment') return (message.images?.length ?? 0) > 0;
  if (message.role !== 'user') return false;
  return message.content.some(
    (block) =>
      block.type === 'image' ||
      (block.type === 'tool_result' && block.content.some((inner) => inner.type !== 'text')),
  );
}
