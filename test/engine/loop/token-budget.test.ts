import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BudgetProgress,
  nudge,
  nudgeText,
  parseTokenBudget,
  startBudget,
} from '../../../src/main/engine/loop/token-budget';

describe('a token budget in a prompt', () => {
  it.each<[string, number | null]>([
    ['use 500k tokens', 500_000],
    ['Please USE up to 1.5M tokens on this', 1_500_000],
    ['spend about 20,000 tokens', 20_000],
    ['fix it, use 1 token', 1],
    ['spend 2M tokens', 2_000_000],
    ['+500k', 500_000],
    ['refactor the parser +2m', 2_000_000],
    ['+300k refactor the parser', 300_000],
    ['how many tokens does it use?', null],
    ['the limit is 500k tokens', null],
    ['add +5k to the salary column', null],
    ['use 0 tokens', null],
    ['use tokens', null],
    ['', null],
  ])('%j → %s', (prompt, expected) => {
    expect(parseTokenBudget(prompt)).toBe(expected);
  });
});

const progress = (change: Partial<BudgetProgress>): BudgetProgress => ({
  ...startBudget(100_000),
  ...change,
});

describe('a nudge', () => {
  it.each<[string, BudgetProgress, number, boolean]>([
    ['with most of it left', progress({}), 1_000, true],
    ['just under the share', progress({}), 89_999, true],
    ['at the share', progress({}), 90_000, false],
    ['small gains, too few nudges', progress({ nudges: 2, lastGain: 10 }), 20, true],
    [
      'small gains twice',
      progress({ nudges: 3, spentAtNudge: 5_000, lastGain: 499 }),
      5_499,
      false,
    ],
    [
      'a small gain after a big one',
      progress({ nudges: 3, spentAtNudge: 5_000, lastGain: 900 }),
      5_100,
      true,
    ],
    [
      'a big gain after a small one',
      progress({ nudges: 3, spentAtNudge: 5_000, lastGain: 1 }),
      5_500,
      true,
    ],
  ])('%s', (_name, before, spent, goesOn) => {
    const after = nudge(before, spent);
    expect(after !== null).toBe(goesOn);
    if (after) {
      expect(after).toMatchObject({
        nudges: before.nudges + 1,
        spentAtNudge: spent,
        lastGain: spent - before.spentAtNudge,
      });
    }
  });

  it('says what is spent', () => {
    expect(nudgeText(startBudget(200_000), 50_000)).toMatch(/200000 tokens; 50000 \(25 %\)/);
  });

  it('ends, whatever the model spends', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3_000), { maxLength: 500 }), (gains) => {
        let at: BudgetProgress | null = startBudget(100_000);
        let spent = 0;
        let rounds = 0;
        while (at !== null) {
          spent += gains[rounds] ?? 0;
          rounds += 1;
          at = nudge(at, spent);
        }
        return rounds <= gains.length + 6;
      }),
    );
  });
});
