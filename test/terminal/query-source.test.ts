import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QuerySource } from '../../src/main/terminal/host/query-source';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The shell comes to its prompt or leaves it; output comes; the shell has written; the terminal is held up or goes on. */
type Step = 'prompt' | 'runs' | 'output' | 'written' | 'wait' | 'pause' | 'resume' | 'untold';

async function isBehindAfter(steps: readonly Step[], front = 7): Promise<boolean> {
  let [bytes, isTold, isPaused] = [0, true, false];
  const source = new QuerySource({
    writtenBy: () => (isTold ? `${bytes}` : null),
    isPaused: () => isPaused,
  });
  for (const step of steps) {
    if (step === 'prompt') source.begin(7);
    else if (step === 'runs') source.end();
    else if (step === 'output') source.output();
    else if (step === 'written') bytes += 4;
    else if (step === 'wait') await vi.advanceTimersByTimeAsync(1_000);
    else if (step === 'untold') isTold = false;
    else isPaused = step === 'pause';
  }
  const isBehind = source.isBehind(front);
  source.end();
  expect(vi.getTimerCount()).toBe(0);
  return isBehind;
}

test.each<[string, readonly Step[], boolean]>([
  ['a job of a shell at its prompt', ['prompt', 'wait', 'output'], true],
  ['the same after a key', ['prompt', 'wait', 'written', 'output', 'wait', 'output'], true],
  ['a shell that asks by itself', ['prompt', 'wait', 'written', 'output'], false],
  ['a shell that just came to its prompt', ['prompt', 'output'], false],
  ['a line that runs', ['prompt', 'wait', 'runs', 'output'], false],
  ['no shell', ['output', 'wait', 'output'], false],
  ['a shell whose output is held up', ['prompt', 'pause', 'wait', 'output'], false],
  ['a job after that', ['prompt', 'pause', 'wait', 'resume', 'wait', 'output'], true],
  ['what cannot be told', ['untold', 'prompt', 'wait', 'output'], false],
  ['what cannot be told any more', ['prompt', 'wait', 'untold', 'output'], false],
])('output comes from behind a shell or not: %s', async (_, steps, expected) => {
  expect(await isBehindAfter(steps)).toBe(expected);
});

test('another program that has the terminal is not behind the shell', async () => {
  expect(await isBehindAfter(['prompt', 'wait', 'output'], 8)).toBe(false);
});
