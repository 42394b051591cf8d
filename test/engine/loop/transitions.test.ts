import { describe, expect, it } from 'vitest';
import { afterTurn, type TurnFacts } from '../../../src/main/engine/loop/transitions';
import type { ModelErrorKind } from '../../../src/main/engine/model/model-client';

const facts: TurnFacts = {
  aborted: false,
  cut: false,
  answered: true,
  error: null,
  stopReason: 'end_turn',
  calls: 0,
  wholeCalls: 0,
  deferred: false,
  hookStopped: false,
  repeating: false,
  turnCount: 1,
  maxTurns: null,
  spentUsd: 0,
  maxBudgetUsd: null,
  canEscalate: false,
  outputRecoveries: 0,
  pauses: 0,
  queuedPrompts: 0,
};
const failure = (kind: ModelErrorKind, retryable = false) => ({ kind, message: 'x', retryable });
const called = { calls: 1, wholeCalls: 1, stopReason: 'tool_use' } as const;
const cutShort = { stopReason: 'max_tokens' } as const;

describe('after a turn', () => {
  it.each<[string, Partial<TurnFacts>, string]>([
    ['nothing more to do', {}, 'finish'],
    ['calls', called, 'next_turn'],
    ['a pause of the server', { stopReason: 'pause_turn' }, 'next_turn'],
    ['the tenth pause in a row', { stopReason: 'pause_turn', pauses: 9 }, 'next_turn'],
    ['one pause too many', { stopReason: 'pause_turn', pauses: 10 }, 'model_error'],
    ['the last allowed turn', { ...called, turnCount: 3, maxTurns: 3 }, 'max_turns'],
    ['the last allowed turn without calls', { turnCount: 3, maxTurns: 3 }, 'finish'],
    ['a queued prompt at the last turn', { queuedPrompts: 1, maxTurns: 1 }, 'max_turns'],
    ['budget spent', { ...called, spentUsd: 2, maxBudgetUsd: 1.5 }, 'max_budget'],
    ['a queued prompt', { queuedPrompts: 1 }, 'queued_prompt'],
    ['the output limit', cutShort, 'max_output_tokens_recovery'],
    [
      'the output limit, more to be had',
      { ...cutShort, canEscalate: true },
      'max_output_tokens_escalate',
    ],
    [
      'the same at the turn limit',
      { ...cutShort, canEscalate: true, maxTurns: 1 },
      'max_output_tokens_escalate',
    ],
    [
      'the output limit with only a cut call',
      { ...cutShort, calls: 1, canEscalate: true },
      'max_output_tokens_escalate',
    ],
    [
      'the output limit after a call began',
      { ...cutShort, calls: 2, wholeCalls: 1, canEscalate: true },
      'max_output_tokens_recovery',
    ],
    ['the output limit, fourth time', { ...cutShort, outputRecoveries: 3 }, 'model_error'],
    ['the output limit, turn limit', { ...cutShort, maxTurns: 1 }, 'max_turns'],
    ['a refusal', { stopReason: 'refusal' }, 'model_error'],
    ['a full window', { stopReason: 'model_context_window_exceeded' }, 'overflow'],
    ['a stop reason nobody knows', { stopReason: 'something_new' }, 'finish'],
    ['a hook that stops', { ...called, hookStopped: true }, 'hook_stopped'],
    ['the same call again and again', { ...called, repeating: true }, 'repeated_calls'],
    ['an abort mid-stream', { aborted: true, answered: false }, 'aborted_streaming'],
    ['an abort among tools', { ...called, aborted: true }, 'aborted_tools'],
    [
      'an abort beats an error',
      { aborted: true, answered: false, error: failure('server') },
      'aborted_streaming',
    ],
    [
      'a cut for new words',
      { cut: true, error: failure('aborted'), queuedPrompts: 1 },
      'queued_prompt',
    ],
    ['a cut, words taken back', { cut: true, error: failure('aborted') }, 'aborted_streaming'],
    ['a cut, words taken back, calls open', { ...called, cut: true }, 'next_turn'],
    ['too long a prompt', { error: failure('prompt_too_long') }, 'overflow'],
    ['a bad image', { error: failure('image') }, 'image_error'],
    ['a refused key', { error: failure('auth') }, 'model_error'],
    ['a lost line', { error: failure('network', true) }, 'model_error'],
    ['a refusal after a call ran', { ...called, error: failure('auth') }, 'model_error'],
  ])('%s → %s', (_name, change, expected) => {
    const next = afterTurn({ ...facts, ...change });
    const said =
      next.kind === 'end' ? next.terminal : next.kind === 'continue' ? next.reason : next.kind;
    expect(said).toBe(expected);
  });
});
