import type { QueryLimits } from '../../../shared/agent-event';
import type { EndReason } from '../../../shared/turn';
import type { TurnOutcome } from './stream-turn';
import { MAX_PAUSES } from './transitions';

/** The words for the model after its answer was cut at the output limit. */
export const RESUME_TEXT =
  'Your answer reached the output limit and was cut. Go on exactly where it stopped: no apology, no summary of what came before. Break what is left into smaller pieces.';

/** Returns the words for the model when a stop hook sends it back to work. */
export const blockedText = (message: string): string =>
  `A stop hook says that the work is not done:\n\n${message}`;

/** Returns the words for a user when a hook keeps their prompt from the model. */
export const refusedText = (reason: string): string =>
  `A hook kept your message from the model: ${reason}`;

/** Returns the words for a user when a hook deferred a call. */
export const deferredText = (tool: string): string =>
  `A hook put a call of ${tool} off. Resume the session to go on with it.`;

/** Returns the words for a user when a deferred call can no longer run. */
export const unavailableText = (tool: string): string =>
  `The deferred call cannot run: there is no tool named ${tool} now. Nothing was lost; resume the session when it is back.`;

/** Returns the words for the model when the turn limit ended its work. */
export const maxTurnsText = (limits: QueryLimits): string =>
  `The limit of ${limits.maxTurns} turns for one query was reached; the work stopped here.`;

/** The words for the model when the user lets work go on that a limit had stopped. */
export const LIMIT_LIFTED_TEXT =
  'The user lets the work go on with fresh limits. Go on exactly where you stopped.';

/** The words for the model when its answer broke off and the user has it asked again. */
export const ASKED_AGAIN_TEXT =
  'Your answer broke off, and the user has you asked again. Go on exactly where it stopped.';

export const RESTARTED_TEXT =
  'Lathe ended while you worked and is back. What ran then was cut off: check what took effect before you repeat it, and go on where you stopped.';

/** The words for a user when Lathe ended meanwhile. */
export const CUT = 'Lathe ended while this was running. What was finished is kept.';

/** The words for a user who stopped it. */
export const STOPPED = 'Stopped by you.';

/** The words for a user who wants a summary where there is nothing to replace by one. */
export const NOTHING_TO_COMPACT =
  'There is nothing to summarise yet: the conversation holds no more than its newest part.';

/** The words for a user when there is no money left. */
export const BUDGET_SPENT = 'The budget of this run is spent.';

/** The words for a user when the context has no room for another request. */
export const BLOCKED_CONTEXT_TEXT =
  'The context window is full: there is no room for another answer. Summarise the conversation with /compact, or start a new session.';

/** Returns the words for a user at the end of a query that a turn ended. `carried` is the answer's earlier part. */
export function endText(
  terminal: EndReason,
  turn: TurnOutcome,
  limits: QueryLimits,
  carried = '',
): string {
  switch (terminal) {
    case 'completed':
      return carried + turn.text;
    case 'max_turns':
      return `It took ${limits.maxTurns} turns, the limit for one query.`;
    case 'aborted_streaming':
    case 'aborted_tools':
      return STOPPED;
    default:
      return failureText(turn);
  }
}

/** The words for a user when the model refused. */
const DECLINED = 'The model declined to answer this. Say it differently, or leave it out.';

/** The way on for a user when nothing better is known. */
const KEPT = 'The conversation is kept.';
const SEND_AGAIN = 'The conversation is kept: send your message again to go on.';

function failureText({ error, stopReason, text, calls }: TurnOutcome): string {
  if (error) return `${error.message} ${error.fix ?? (error.retryable ? SEND_AGAIN : KEPT)}`;
  switch (stopReason) {
    case 'refusal':
      return text === '' ? DECLINED : `${DECLINED} It said: ${text}`;
    case 'pause_turn':
      return `The server paused its own work ${MAX_PAUSES + 1} times in a row and was not asked again. ${SEND_AGAIN}`;
    case 'model_context_window_exceeded':
      return 'The answer was cut because the context window is full, and the conversation could not be made shorter. Start a new session to go on.';
    default:
      return `The answer reached the model's output limit again and again and was given up.${cutText(calls)} What came is kept: ask for the rest in smaller pieces.`;
  }
}

/** Returns the call that an answer broke off in; null when it broke off in none. */
export const cutCall = (calls: TurnOutcome['calls']): TurnOutcome['calls'][number] | null =>
  calls.find(({ invalid }) => invalid !== undefined) ?? null;

function cutText(calls: TurnOutcome['calls']): string {
  const cut = cutCall(calls);
  return cut === null
    ? ''
    : ` It broke off in the input of a call of ${cut.name}, which was not run.`;
}
