import { describe, expect, it } from 'vitest';
import { afterTurn, type TurnFacts } from '../../../src/main/engine/loop/transitions';
import type { ModelErrorKind } from '../../../src/main/engine/model/model-client';

const facts: TurnFacts = {
  aborted: false,
  answered: true,
  error: null,
  stopReason: 'end_turn',
  calls: 0,
  turnCount: 1,
  maxTurns: null,
  spentUsd: 0,
  maxBudgetUsd: null,
  outputRecoveries: 0,
  queuedPrompts: 0,
};
const failure = (kind: ModelErrorKind) => ({ kind, message: 'x', retryable: false });

describe('after a turn', () => {
  it.each<[string, Partial<TurnFacts>, string]>([
    ['no calls', {}, 'completed'],
    ['calls', { calls: 2, stopReason: 'tool_use' }, 'next_turn'],
    ['a pause of the server', { stopReason: 'pause_turn' }, 'next_turn'],
    ['the last allowed turn', { calls: 1, turnCount: 3, maxTurns: 3 }, 'max_turns'],
    ['the last allowed turn without calls', { turnCount: 3, maxTurns: 3 }, 'completed'],
    ['budget spent', { calls: 1, spentUsd: 2, maxBudgetUsd: 1.5 }, 'max_budget'],
    ['a queued prompt', { queuedPrompts: 1 }, 'queued_prompt'],
    ['the output limit', { stopReason: 'max_tokens' }, 'max_output_tokens_recovery'],
    [
      'the output limit for the fourth time',
      { stopReason: 'max_tokens', outputRecoveries: 3 },
      'model_error',
    ],
    ['a refusal', { stopReason: 'refusal' }, 'model_error'],
    ['an abort mid-stream', { aborted: true, answered: false }, 'aborted_streaming'],
    ['an abort among tools', { aborted: true, calls: 1 }, 'aborted_tools'],
    ['too long a prompt', { error: failure('prompt_too_long') }, 'prompt_too_long'],
    ['a bad image', { error: failure('image') }, 'image_error'],
    ['a refused key', { error: failure('auth') }, 'model_error'],
  ])('%s → %s', (_name, change, expected) => {
    const transition = afterTurn({ ...facts, ...change });
    expect(transition.kind === 'end' ? transition.terminal : transition.reason).toBe(expected);
  });
});
