import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Rest } from '../../src/main/terminal/host/front';
import { HeldAnswers } from '../../src/main/terminal/host/held-answers';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WAITS: Rest = { kind: 'waits' };
const RUNS: Rest = { kind: 'runs' };
const sleeps = (since: number): Rest => ({ kind: 'sleeps', since: `7:${since}` });

interface Case {
  /** What the program does at each look; the last one goes on. */
  readonly looks: readonly Rest[];
  readonly wanted?: boolean;
  readonly readsKeys?: boolean;
}

/** Returns what is written of two answers. */
async function writtenOf({ looks, wanted = true, readsKeys = true }: Case): Promise<number> {
  let [written, look] = [0, 0];
  const pty = {
    write: () => {
      written += 1;
    },
    rest: () => {
      look += 1;
      return looks[Math.min(look, looks.length) - 1] ?? WAITS;
    },
    readsKeys: async () => readsKeys,
  };
  const held = new HeldAnswers({
    pty,
    now: () => Date.now(),
    isWanted: () => wanted,
    failed: (error) => expect.unreachable(String(error)),
  });
  held.give(Buffer.from('\x1b[0n'));
  held.give(Buffer.from('\x1b[0n'));
  await vi.advanceTimersByTimeAsync(10_000);
  return written;
}

test.each<[string, Case, number]>([
  ['waits for input', { looks: [WAITS] }, 2],
  ['waits a moment later', { looks: [RUNS, sleeps(1), sleeps(1), WAITS] }, 2],
  ['waits for whole lines then', { looks: [sleeps(1), WAITS], readsKeys: false }, 0],
  ['sleeps all the while', { looks: [sleeps(1)] }, 0],
  ['sleeps once it has asked', { looks: [RUNS, RUNS, sleeps(1)] }, 0],
  ['looks for input between its sleeps', { looks: [sleeps(1), sleeps(1), sleeps(2)] }, 2],
  ['runs all the while', { looks: [RUNS] }, 2],
  ['has gone', { looks: [WAITS], wanted: false }, 0],
])('a program gets its answers or not when it %s', async (_, one, written) => {
  expect(await writtenOf(one)).toBe(written);
});
