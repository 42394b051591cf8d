import { describe, expect, it } from 'vitest';
import { changeWords, replayWords, shownCalls } from '../../../src/renderer/rules/replay-words';
import type { RuleBehavior } from '../../../src/shared/permission';
import type { ReplayedCall, RuleReplay } from '../../../src/shared/rule-replay';

const call = (before: RuleBehavior, after: RuleBehavior, risks: readonly string[] = []) =>
  ({
    callId: 'c',
    tool: 'Bash',
    target: 'make',
    before,
    after,
    risks,
    at: 1,
    sessionId: 's',
  }) as ReplayedCall;
const times = (count: number, one: ReplayedCall) => Array.from({ length: count }, () => one);
const replay = (over: Partial<RuleReplay>): RuleReplay => ({
  considered: 200,
  changed: [],
  unchanged: 0,
  dead: null,
  ...over,
});

describe('what a replay says', () => {
  it.each<[Partial<RuleReplay>, string, string | null, boolean]>([
    [
      { changed: times(12, call('ask', 'allow')) },
      'Of the last 200 calls in this project, 12 would no longer ask.',
      null,
      false,
    ],
    [
      { considered: 1, changed: [call('ask', 'deny')] },
      'Of the last 1 call in this project, 1 would be denied without asking.',
      null,
      false,
    ],
    [
      { changed: [...times(2, call('allow', 'deny')), call('ask', 'deny')] },
      'Of the last 200 calls in this project, 1 would be denied without asking, 2 would be denied.',
      null,
      false,
    ],
    [
      { unchanged: 3 },
      'Of the last 200 calls in this project, none would be decided otherwise.',
      'It is about 3 calls, decided the same way as now.',
      false,
    ],
    [
      { changed: [call('ask', 'allow')], unchanged: 3 },
      'Of the last 200 calls in this project, 1 would no longer ask.',
      'It is about 3 more, decided the same way as now.',
      false,
    ],
    [
      {},
      'Of the last 200 calls in this project, none would be decided otherwise.',
      'It is about none of them.',
      false,
    ],
    [
      { considered: 0, dead: { reason: 'the same rule is there already: Bash' } },
      'No calls in this project yet, so there is nothing to try this rule on.',
      'This rule would never count: the same rule is there already: Bash.',
      false,
    ],
    [
      { changed: [call('ask', 'allow', ['a', 'b']), call('ask', 'allow', ['b', 'c', 'd'])] },
      'Of the last 200 calls in this project, 2 would no longer ask.',
      '2 of them deserve a look: a, b, c and more.',
      true,
    ],
  ])('%j', (over, summary, note, warns) => {
    expect(replayWords(replay(over))).toEqual({ summary, note, warns });
  });

  it('lists at most 50 calls, the surprising ones first', () => {
    const risky = call('ask', 'allow', ['sends']);
    const { shown, left } = shownCalls([...times(60, call('ask', 'allow')), risky]);
    expect(shown).toHaveLength(50);
    expect(shown[0]).toBe(risky);
    expect(left).toBe(11);
    expect(changeWords(risky)).toBe('asked → allowed');
  });
});
