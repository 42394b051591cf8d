import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editValue, isWorth } from '../../../src/main/engine/context/policy';
import { WARM } from './support';

const offer = { freed: 40_000, rewritten: 15_000, heldTurns: 5 };

describe('an edit of the context', () => {
  it('saves a read for each turn to come, and costs a write of what stays behind it', () => {
    expect(editValue(offer, WARM)).toEqual({
      saves: 40_000 * 5 * 0.1,
      costs: 40_000 * 0.1 * 1.25 + 15_000 * 1.15,
      expectedTurns: 5,
    });
  });

  it.each([
    ['held too shortly', { ...offer, heldTurns: 5 }, WARM, false],
    ['held long enough', { ...offer, heldTurns: 6 }, WARM, true],
    ['with too much behind it', { ...offer, heldTurns: 6, rewritten: 20_000 }, WARM, false],
    ['when few turns are left', { ...offer, heldTurns: 50 }, { ...WARM, turnsLeft: 3 }, false],
    ['when the cache is gone anyway', { ...offer, heldTurns: 1 }, { ...WARM, isCold: true }, true],
    ['when reads are dear', offer, { ...WARM, prices: { read: 0.2, write: 1.25 } }, true],
    ['without a cache', offer, { ...WARM, prices: { read: 1, write: 1 } }, true],
  ])('%s: worth it %3$s', (_name, given, facts, worth) => {
    expect(isWorth(given, facts)).toBe(worth);
  });

  it('is never worth less for what was carried longer, nor more for what has to be written again', () => {
    const tokens = fc.integer({ min: 0, max: 200_000 });
    const turns = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(tokens, tokens, turns, tokens, turns, (freed, rewritten, held, more, longer) => {
        const base = { freed, rewritten, heldTurns: held };
        const gain = ({ saves, costs }: ReturnType<typeof editValue>) => saves - costs;
        const now = gain(editValue(base, WARM));
        expect(gain(editValue({ ...base, heldTurns: held + longer }, WARM))).toBeGreaterThanOrEqual(
          now,
        );
        expect(gain(editValue({ ...base, rewritten: rewritten + more }, WARM))).toBeLessThanOrEqual(
          now,
        );
      }),
    );
  });
});
