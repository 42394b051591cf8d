import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  FLOOD_BYTES,
  type Flooding,
  FloodTurns,
  TURN_BYTES,
  TURN_MS,
  WINDOW_MS,
} from '../../src/main/terminal/host/flood-turns';
import { PauseGuard } from '../../src/main/terminal/host/pty';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A terminal that says whether it is held up. */
class Program implements Flooding {
  held = false;

  holdUp(wait: boolean): void {
    this.held = wait;
  }
}

const CHUNK = 4 * 1024;

/** Lets all that are not held up print as fast as they can for some time; gives what each has printed. Bytes. */
function flood(turns: FloodTurns, programs: readonly Program[], ms: number): readonly number[] {
  const printed = programs.map(() => 0);
  for (let elapsed = 0; elapsed < ms; elapsed += 1) {
    programs.forEach((program, i) => {
      if (program.held) return;
      turns.output(program, CHUNK);
      printed[i] = (printed[i] ?? 0) + CHUNK;
    });
    vi.advanceTimersByTime(1);
  }
  return printed;
}

const turnsOf = (together: number) => new FloodTurns({ together, now: () => Date.now() });
const programs = (count: number) => Array.from({ length: count }, () => new Program());
const read = (all: readonly Program[]) => all.filter(({ held }) => !held).length;

test('a flood alone is never held up, nor are as many as may be read together', () => {
  for (const count of [1, 3]) {
    const all = programs(count);
    const printed = flood(turnsOf(count), all, 5_000);
    expect(printed).toEqual(all.map(() => 5_000 * CHUNK));
  }
});

test.each([1, 3])(
  'of two dozen floods %i are read at a time, and each gets its share',
  (together) => {
    const turns = turnsOf(together);
    const all = programs(24);
    flood(turns, all, 1_000);
    expect(read(all)).toBe(together);
    const printed = flood(turns, all, 24_000);
    const share = (24_000 * CHUNK * together) / 24;
    for (const bytes of printed) expect(Math.abs(bytes - share) / share).toBeLessThan(0.1);
  },
);

test('what does not flood is never held up beside floods', () => {
  const turns = turnsOf(1);
  const all = programs(5);
  const quiet = new Program();
  for (let window = 0; window < 40; window += 1) {
    flood(turns, all, WINDOW_MS + 1);
    turns.output(quiet, FLOOD_BYTES);
    expect(quiet.held).toBe(false);
  }
});

test('a turn ends with its output, too', () => {
  const turns = turnsOf(1);
  const [one, two] = [new Program(), new Program()];
  turns.output(one, FLOOD_BYTES + 1);
  turns.output(two, FLOOD_BYTES + 1);
  expect([one.held, two.held]).toEqual([false, true]);
  turns.output(one, TURN_BYTES);
  expect([one.held, two.held]).toEqual([true, false]);
});

test('one that has nothing to say in its turn does not flood any more, and gives its place up', () => {
  const turns = turnsOf(1);
  const [one, two] = [new Program(), new Program()];
  turns.output(one, FLOOD_BYTES + 1);
  turns.output(two, FLOOD_BYTES + 1);
  vi.advanceTimersByTime(2 * TURN_MS);
  expect([one.held, two.held]).toEqual([false, false]);
  vi.advanceTimersByTime(10 * TURN_MS);
  expect(vi.getTimerCount()).toBe(0);
});

test('one that ends goes on at once, and the next has its turn', () => {
  const turns = turnsOf(1);
  const all = programs(3);
  flood(turns, all, 500);
  const reading = all.find(({ held }) => !held);
  const waiting = all.find(({ held }) => held);
  if (reading === undefined || waiting === undefined) throw new Error('nobody waits');
  turns.leave(waiting);
  expect(waiting.held).toBe(false);
  turns.leave(reading);
  expect(read(all)).toBe(3);
});

test('a program waits while its turn has not come or its pane is behind, and never once all is to be read', () => {
  let reads = true;
  const pty = {
    pause: () => {
      reads = false;
    },
    resume: () => {
      reads = true;
    },
  };
  const guard = new PauseGuard(pty, () => undefined);
  guard.holdUp(true);
  expect(reads).toBe(false);
  guard.update(true);
  guard.update(false);
  expect(reads).toBe(false);
  guard.update(true);
  guard.holdUp(false);
  expect(reads).toBe(false);
  guard.update(false);
  expect(reads).toBe(true);
  guard.holdUp(true);
  guard.release();
  expect(reads).toBe(true);
  guard.holdUp(true);
  expect(reads).toBe(true);
});
