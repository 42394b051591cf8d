import type { Message } from '../../../shared/message';
import type { Continue } from '../../../shared/turn';
import { FRESH, type State } from './state';
import type { TurnOutcome } from './stream-turn';

/** SPEC A5: output tokens of the one request that is sent again with more room. */
export const ESCALATED_OUTPUT_TOKENS = 64_000;

/** What the next state is made from. */
export interface Advance {
  readonly reason: Continue;
  readonly turn: Pick<TurnOutcome, 'text' | 'stopReason' | 'answered'>;
  /** The history as it is now. */
  readonly messages: readonly Message[];
  /** The most output the model can give. Tokens. */
  readonly maxOutput: number;
}

/** The state after a turn (SPEC A2). Pure. */
export function advance(state: State, { reason, turn, messages, maxOutput }: Advance): State {
  const paused = turn.stopReason === 'pause_turn';
  const pauses = paused ? state.pauses + 1 : 0;
  const base = { ...state, messages, transition: reason, paused, pauses };
  const onward = { ...base, turnCount: state.turnCount + 1 };
  // A request that was refused is sent again under its number; one that was answered was a round trip.
  const again = turn.answered ? onward : base;
  switch (reason) {
    case 'collapse_drain_retry':
    case 'reactive_compact_retry':
      return { ...again, carriedText: state.carriedText + turn.text };
    case 'max_output_tokens_escalate':
      return { ...again, maxTokens: escalatedOutput(maxOutput) };
    case 'max_output_tokens_recovery':
      return {
        ...onward,
        outputRecoveries: state.outputRecoveries + 1,
        carriedText: state.carriedText + turn.text,
      };
    case 'next_turn':
      return { ...onward, ...FRESH, carriedText: paused ? state.carriedText + turn.text : '' };
    case 'stop_hook_blocking':
      return { ...onward, ...FRESH, stopHookActive: true };
    case 'queued_prompt':
    case 'limit_lifted':
    case 'token_budget_continuation':
      return { ...onward, ...FRESH };
  }
}

/** Output tokens of the escalated request, for a model that can give at most `maxOutput`. */
export const escalatedOutput = (maxOutput: number): number =>
  Math.min(ESCALATED_OUTPUT_TOKENS, maxOutput);

const RETRIES: ReadonlySet<Continue> = new Set([
  'max_output_tokens_escalate',
  'collapse_drain_retry',
  'reactive_compact_retry',
]);

/** Whether the same request goes out again, so that nothing new may come in before it. */
export const isRetry = (reason: Continue | null): boolean => reason !== null && RETRIES.has(reason);
