import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNodeClock } from '../../src/main/node/system';

/** A clock over two that are set by hand. */
function byHand() {
  const time = { wall: 1_000_000, steady: 0 };
  const clock = createNodeClock(
    () => time.wall,
    () => time.steady,
  );
  return { time, clock };
}

test('follows the clock of the system, also when that is set forward', () => {
  const { time, clock } = byHand();
  time.wall += 3_600_000;
  time.steady += 10;
  expect(clock.now()).toBe(4_600_000);
});

test('goes on steadily while the clock of the system is behind, and follows it again later', () => {
  const { time, clock } = byHand();
  time.wall -= 3_600_000;
  time.steady += 500;
  expect(clock.now()).toBe(1_000_500);
  time.wall += 2_000;
  time.steady += 2_000;
  expect(clock.now()).toBe(1_002_500);
  time.wall = 2_000_000;
  expect(clock.now()).toBe(2_000_000);
});

test('whatever is done to the clock of the system, no time is negative', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(10_000))),
      (jumps) => {
        const { time, clock } = byHand();
        let before = clock.now();
        for (const [wall, steady] of jumps) {
          time.wall += wall;
          time.steady += steady;
          const now = clock.now();
          expect(now - before).toBeGreaterThanOrEqual(0);
          before = now;
        }
      },
    ),
  );
});
