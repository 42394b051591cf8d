import type { ToolUseBlock } from '../../../shared/message';
import type { ContinueReason, EndReason, StopReason } from '../../../shared/turn';
import type { ModelError } from '../model/model-client';

/** The number of times that the model is asked to go on after it hit its output limit. docs/spec.md A5. */
const MAX_OUTPUT_RECOVERIES = 3;

/** The number of times in a row that the server may hand its own unfinished work back before the query ends. */
export const MAX_PAUSES = 10;

/** The facts that are known when a turn is over. */
export interface TurnFacts {
  /** The user stopped the query. */
  readonly aborted: boolean;
  /** The user cut this turn to say something; the query goes on. */
  readonly cut: boolean;
  /** The answer had arrived whole when the turn ended. */
  readonly answered: boolean;
  readonly error: ModelError | null;
  readonly stopReason: StopReason | null;
  /** Tool uses in the answer. */
  readonly calls: number;
  /** The tool uses among them that were whole, so that they ran or may have. */
  readonly wholeCalls: number;
  /** A hook deferred the call of this answer. */
  readonly deferred: boolean;
  /** A hook asked for the end during this turn. */
  readonly hookStopped: boolean;
  /** The same call came too often in a row. */
  readonly repeating: boolean;
  /** API round trips so far, this one included. */
  readonly turnCount: number;
  readonly maxTurns: number | null;
  readonly spentUsd: number;
  readonly maxBudgetUsd: number | null;
  /** The same request may be sent again with more room for output. */
  readonly canEscalate: boolean;
  readonly outputRecoveries: number;
  /** The number of times in a row that the server had paused its own work before this turn. */
  readonly pauses: number;
  /** Prompts that wait to go in between turns. */
  readonly queuedPrompts: number;
}

/**
 * The decision after a turn: the end; another turn; the same request again; a way out of an overflow; or, when the
 * model has nothing more to do, the questions to hooks and budget that may make it go on.
 */
export type Transition =
  | { readonly kind: 'end'; readonly terminal: EndReason }
  | { readonly kind: 'continue'; readonly reason: ContinueReason }
  | { readonly kind: 'overflow' }
  | { readonly kind: 'finish' };

/** Decides what to do after a turn (docs/spec.md A4, A5). Pure and total. */
export function afterTurn(facts: TurnFacts): Transition {
  if (facts.aborted) return end(abortReason(facts.answered));
  if (facts.cut) return afterCut(facts);
  if (facts.error) return afterError(facts.error);
  if (facts.deferred) return end('tool_deferred');
  if (facts.hookStopped) return end('hook_stopped');
  if (facts.repeating) return end('repeated_calls');
  if (facts.maxBudgetUsd !== null && facts.spentUsd >= facts.maxBudgetUsd) return end('max_budget');
  return afterAnswer(facts);
}

/** Returns the reason for the end of a query that was stopped, by whether its answer had arrived whole. */
export const abortReason = (answered: boolean): EndReason =>
  answered ? 'aborted_tools' : 'aborted_streaming';

/** Goes on with one more turn, unless it would be one too many. */
const within = (
  { turnCount, maxTurns }: Pick<TurnFacts, 'turnCount' | 'maxTurns'>,
  reason: ContinueReason,
): Transition =>
  maxTurns !== null && turnCount >= maxTurns ? end('max_turns') : { kind: 'continue', reason };

const end = (terminal: EndReason): Transition => ({ kind: 'end', terminal });

function afterAnswer(facts: TurnFacts): Transition {
  switch (facts.stopReason) {
    case 'refusal':
      return end('model_error');
    case 'model_context_window_exceeded':
      return { kind: 'overflow' };
    case 'max_tokens':
      return afterOutputLimit(facts);
    case 'pause_turn':
      if (facts.pauses >= MAX_PAUSES) return end('model_error');
  }
  if (facts.calls > 0 || facts.stopReason === 'pause_turn') return within(facts, 'next_turn');
  if (facts.queuedPrompts > 0) return within(facts, 'queued_prompt');
  return { kind: 'finish' };
}

/** Decides after a cut answer. A request whose answer started a tool is never sent again: it would run twice. */
function afterOutputLimit(facts: TurnFacts): Transition {
  if (facts.canEscalate && facts.wholeCalls === 0) {
    return { kind: 'continue', reason: 'max_output_tokens_escalate' };
  }
  if (facts.outputRecoveries >= MAX_OUTPUT_RECOVERIES) return end('model_error');
  return within(facts, 'max_output_tokens_recovery');
}

/** Decides after a cut turn. A user who takes their words back leaves nothing to answer, unless calls were asked for. */
function afterCut(facts: TurnFacts): Transition {
  if (facts.queuedPrompts > 0) return within(facts, 'queued_prompt');
  if (facts.calls > 0) return within(facts, 'next_turn');
  return end('aborted_streaming');
}

function afterError(error: ModelError): Transition {
  if (error.kind === 'prompt_too_long') return { kind: 'overflow' };
  if (error.kind === 'image') return end('image_error');
  if (error.kind === 'aborted') return end('aborted_streaming');
  return end('model_error');
}

/** A query ends when the same call comes this often in a row. docs/spec.md A10. */
const MAX_SAME_CALLS = 5;

/** The newest call and in how many answers in a row it came. */
export interface Repeats {
  readonly key: string;
  readonly tool: string;
  readonly count: number;
}

export const NO_REPEATS: Repeats = { key: '', tool: '', count: 0 };

/**
 * Counts the calls of one answer in; stops counting at the limit, so that a later other call changes nothing. Equal calls
 * side by side in one answer count once: none of them was asked for in the knowledge of another's result.
 */
export function countRepeats(before: Repeats, calls: readonly ToolUseBlock[]): Repeats {
  const keys = calls.map(
    ({ name, input, invalid }) => `${name} ${stableJson(input)} ${invalid ?? ''}`,
  );
  return calls.reduce((repeats, { name }, i) => {
    const key = keys[i] ?? '';
    if (isRepeating(repeats) || (i > 0 && key === keys[i - 1])) return repeats;
    return { key, tool: name, count: key === repeats.key ? repeats.count + 1 : 1 };
  }, before);
}

/** Tells whether the limit is reached. */
export const isRepeating = ({ count }: Repeats): boolean => count >= MAX_SAME_CALLS;

/** Explains the end to the user and the model. */
export const repeatText = ({ tool }: Repeats): string =>
  `${tool} was called with the same input ${MAX_SAME_CALLS} times in a row, which brings nothing new. Say what to do differently.`;

/** Makes JSON whose keys are in order at every depth. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
