import type { Continue, StopReason, Terminal } from '../../../shared/turn';
import type { ModelError } from '../model/model-client';

/** SPEC A5: how often the model is asked to go on after it hit its output limit. */
export const MAX_OUTPUT_RECOVERIES = 3;

/** What is known when a turn is over. */
export interface TurnFacts {
  readonly aborted: boolean;
  /** Whether the answer had arrived whole when the turn ended. */
  readonly answered: boolean;
  readonly error: ModelError | null;
  readonly stopReason: StopReason | null;
  /** Tool uses in the answer. */
  readonly calls: number;
  /** API round trips so far, this one included. */
  readonly turnCount: number;
  readonly maxTurns: number | null;
  readonly spentUsd: number;
  readonly maxBudgetUsd: number | null;
  readonly outputRecoveries: number;
  /** Prompts that wait to go in between turns. */
  readonly queuedPrompts: number;
}

export type Transition =
  | { readonly kind: 'continue'; readonly reason: Continue }
  | { readonly kind: 'end'; readonly terminal: Terminal };

/** What to do after a turn (SPEC A4). Pure and total. */
export function afterTurn(facts: TurnFacts): Transition {
  if (facts.aborted) return end(facts.answered ? 'aborted_tools' : 'aborted_streaming');
  if (facts.error) return end(terminalOf(facts.error));
  if (facts.stopReason === 'refusal') return end('model_error');
  if (facts.maxBudgetUsd !== null && facts.spentUsd >= facts.maxBudgetUsd) return end('max_budget');
  const next = nextReason(facts);
  if (next === null) return end('completed');
  if (next === 'max_output_tokens_recovery' && facts.outputRecoveries >= MAX_OUTPUT_RECOVERIES) {
    return end('model_error');
  }
  if (facts.maxTurns !== null && facts.turnCount >= facts.maxTurns) return end('max_turns');
  return { kind: 'continue', reason: next };
}

const end = (terminal: Terminal): Transition => ({ kind: 'end', terminal });

function nextReason(facts: TurnFacts): Continue | null {
  if (facts.calls > 0 || facts.stopReason === 'pause_turn') return 'next_turn';
  if (facts.stopReason === 'max_tokens') return 'max_output_tokens_recovery';
  if (facts.queuedPrompts > 0) return 'queued_prompt';
  return null;
}

function terminalOf(error: ModelError): Terminal {
  switch (error.kind) {
    case 'prompt_too_long':
      return 'prompt_too_long';
    case 'image':
      return 'image_error';
    case 'aborted':
      return 'aborted_streaming';
    default:
      return 'model_error';
  }
}
