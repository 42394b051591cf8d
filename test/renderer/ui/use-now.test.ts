import { expect, test } from 'vitest';
import { createSteadyClock, createStopwatch } from '../../../src/renderer/ui/use-now';

const HOUR = 3_600_000;

test('a clock that is set back goes on, until what is counted began by the new time', () => {
  let system = 10 * HOUR;
  let ticks = 0;
  const clock = createSteadyClock(
    () => system,
    () => ticks,
  );
  const pass = (ms: number) => {
    system += ms;
    ticks += ms;
  };
  pass(2_000);
  expect(clock.now()).toBe(10 * HOUR + 2_000);
  system -= 6 * HOUR;
  pass(3_000);
  expect(clock.now()).toBe(10 * HOUR + 5_000);
  // What began before the change still counts from there.
  clock.follow(10 * HOUR + 1_000);
  expect(clock.now()).toBe(10 * HOUR + 5_000);
  clock.follow(system);
  pass(1_000);
  expect(clock.now()).toBe(4 * HOUR + 6_000);
  // Set ahead, as by the sleep of a computer, it is what the system says.
  system += HOUR;
  expect(clock.now()).toBe(5 * HOUR + 6_000);
});

test('what began by a clock that was ahead goes on when that is set back, and so does what begins then', () => {
  const at = createStopwatch();
  const early = 10 * HOUR;
  expect(at(early, 0)(early)).toBe(0);
  expect(at(early + 5_000, 5_000)(early)).toBe(5_000);
  const back = early - 6 * HOUR;
  expect(at(back + 6_000, 6_000)(early)).toBe(6_000);
  expect(at(back + 7_000, 7_000)(back + 6_000)).toBe(1_000);
  expect(at(back + 9_000, 9_000)(early)).toBe(9_000);
  expect(at(back + 9_000, 9_000)(back + 6_000)).toBe(3_000);
  // A page that was loaded since counts from when it saw it; the sleep of a computer counts.
  expect(createStopwatch()(back, 100)(early)).toBe(0);
  expect(at(back + HOUR, 10_000)(back + 6_000)).toBe(HOUR - 6_000);
});
