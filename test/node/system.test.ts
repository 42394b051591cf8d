import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createNodeClock } from '../../src/main/node/system';

afterEach(() => {
  vi.useRealTimers();
});

/** A clock over two that are set by hand; `looks` counts how often it was looked at. */
function byHand() {
  const time = { wall: 1_000_000, steady: 0, looks: 0 };
  const clock = createNodeClock(
    () => {
      time.looks += 1;
      return time.wall;
    },
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

test('its date goes back with the clock of the system', () => {
  const { time, clock } = byHand();
  time.wall += 3_600_000;
  expect([clock.now(), clock.date()]).toEqual([4_600_000, 4_600_000]);
  time.wall -= 3_600_000;
  time.steady += 500;
  expect([clock.now(), clock.date()]).toEqual([4_600_500, 1_000_000]);
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

test('a wait is over soon after the system has slept through its end', async () => {
  vi.useFakeTimers();
  const { time, clock } = byHand();
  let over = false;
  const wait = clock.sleep(3_600_000).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(over).toBe(false);
  // The lid was closed for two hours: timers stood still, the wall clock did not.
  time.wall += 7_200_000;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(over).toBe(true);
  await wait;
  const { looks } = time;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(time.looks).toBe(looks);
});

test('a long wait takes as long as was asked, and ends at once with its signal', async () => {
  vi.useFakeTimers();
  let looks = 0;
  const clock = createNodeClock(() => {
    looks += 1;
    return Date.now();
  });
  const ended: string[] = [];
  const stop = new AbortController();
  const waits = [
    clock.sleep(25_500).then(() => ended.push('whole')),
    clock.sleep(Number.POSITIVE_INFINITY, stop.signal).then(() => ended.push('stopped')),
  ];
  await vi.advanceTimersByTimeAsync(25_000);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(ended).toEqual(['whole']);
  stop.abort();
  await Promise.all(waits);
  expect(ended).toEqual(['whole', 'stopped']);
  const before = looks;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks).toBe(before);
});
