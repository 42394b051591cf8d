import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallSlot,
  MAX_CONCURRENT_CALLS,
  startable,
} from '../../../src/main/engine/tools/orchestrator';

/** `s`/`x`: safe or not, waiting; upper case: running; `.`: settled. */
const slots = (text: string): CallSlot[] =>
  [...text].map((mark) => ({
    concurrencySafe: mark.toLowerCase() === 's',
    state: mark === '.' ? 'settled' : mark === mark.toUpperCase() ? 'running' : 'waiting',
  }));

describe('startable', () => {
  it.each([
    ['sss', [0, 1, 2]],
    ['x', [0]],
    ['ssx', [0, 1]],
    ['SSx', []],
    ['..x', [2]],
    ['..xs', [2]],
    ['xss', [0]],
    ['Xss', []],
    ['.ss', [1, 2]],
    ['.Xx', []],
    ['ssssssssssss', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['SSSSSSSSSSss', []],
  ])('%s → %j', (text, expected) => expect(startable(slots(text))).toEqual(expected));

  it('always finishes, never breaks the rules, in any order of settling', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.infiniteStream(fc.nat(1000)),
        (safe, picks) => {
          const calls: { concurrencySafe: boolean; state: CallSlot['state'] }[] = safe.map(
            (concurrencySafe) => ({ concurrencySafe, state: 'waiting' }),
          );
          while (calls.some((call) => call.state !== 'settled')) {
            for (const index of startable(calls)) {
              const call = calls[index];
              if (call) call.state = 'running';
            }
            const running = calls.filter((call) => call.state === 'running');
            expect(running.length).toBeGreaterThan(0);
            expect(running.length).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
            if (running.some((call) => !call.concurrencySafe)) expect(running).toHaveLength(1);
            const settled = running[(picks.next().value ?? 0) % running.length];
            if (settled) settled.state = 'settled';
          }
        },
      ),
    );
  });
});
