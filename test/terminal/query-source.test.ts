import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Activity } from '../../src/main/terminal/host/front';
import { QuerySource } from '../../src/main/terminal/host/query-source';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const QUIET: Activity = { group: 7, written: '7:10', reaped: '7:1', behind: '5:3:9' };

/** Output came, or a key; or the programs have done something; or the terminal is paused or goes on. */
type Step = 'output' | 'stir' | 'wait' | 'pause' | 'resume' | 'untold' | Partial<Activity>;

async function isBehindAfter(steps: readonly Step[], isAtPrompt: boolean): Promise<boolean> {
  let [activity, paused]: [Activity | null, boolean] = [QUIET, false];
  const source = new QuerySource({ activity: () => activity, isPaused: () => paused });
  for (const step of steps) {
    if (step === 'output') source.output();
    else if (step === 'stir') source.stir();
    else if (step === 'wait') await vi.advanceTimersByTimeAsync(1_000);
    else if (step === 'untold') activity = null;
    else if (typeof step === 'object') activity = { ...QUIET, ...step };
    else paused = step === 'pause';
  }
  return source.isBehind(isAtPrompt);
}

const BEHIND = { behind: '5:3:12' };

test.each<[string, readonly Step[], boolean, boolean]>([
  ['a job of a shell at its prompt', ['output', 'wait', 'output'], true, true],
  ['the same when it has ended since', ['output', 'wait', { reaped: '7:9' }], true, true],
  ['a job that its shell tells of', ['stir', 'wait', { written: '7:14' }], true, true],
  ['a shell at its prompt', ['output', 'wait', 'stir', { written: '7:14' }], true, false],
  ['a shell that just came to its prompt', ['output', 'stir', { written: '7:14' }], true, false],
  ['a job behind a pager', ['output', 'wait', BEHIND, 'output'], false, true],
  ['a pager', ['output', 'wait', { ...BEHIND, written: '7:14' }], false, false],
  ['who has the terminal of others (tmux)', ['output', 'wait', 'output'], false, false],
  ['what a script ran', ['output', 'wait', { ...BEHIND, reaped: '7:9' }], false, false],
  ['a program that begins', ['output', 'wait', { ...BEHIND, group: 8 }], false, false],
  ['a program whose output may be on its way', ['output', BEHIND], false, false],
  [
    'a program that printed while it was held up',
    ['output', 'pause', 'wait', BEHIND],
    false,
    false,
  ],
  ['a job after that', ['output', 'pause', 'wait', 'resume', 'wait', BEHIND], false, true],
  ['what cannot be told', ['untold', 'output', 'wait'], true, false],
  ['what cannot be told any more', ['output', 'wait', 'untold'], true, false],
])('output comes from the background or not: %s', async (_, steps, isAtPrompt, expected) => {
  expect(await isBehindAfter(steps, isAtPrompt)).toBe(expected);
});
