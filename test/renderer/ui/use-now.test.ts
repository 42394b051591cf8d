import { expect, test } from 'vitest';
import { createSteadyClock } from '../../../src/renderer/ui/use-now';

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
