import { describe, expect, it } from 'vitest';
import { changeTask, type TaskChange } from '../../../src/main/engine/tasks/lifecycle';
import type { TaskEnd } from '../../../src/main/engine/tasks/task-runner';
import { aTask } from './a-task';

const progress = (bytes: number, tail: string) =>
  ({ type: 'progress', progress: { bytes, lines: 1, tail } }) as const;

const settled = (end: Partial<TaskEnd>, stopped: string | null = null): TaskChange => ({
  type: 'settled',
  ...{ at: 9, stopped },
  end: { status: 'completed', result: { code: 0, interrupted: false }, bytes: 3, ...end },
});

describe('the life of a task', () => {
  it('begins as pending and runs once its work has started', () => {
    const started = changeTask(aTask({ status: 'pending' }), {
      type: 'started',
      terminalId: 'trm_1',
    });
    expect(started).toMatchObject({ status: 'running', terminalId: 'trm_1' });
  });

  it('progress counts, and keeps the last line that said something', () => {
    const one = changeTask(aTask(), progress(5, 'zero\none'));
    const two = changeTask(one, progress(9, ''));
    expect(two).toMatchObject({ status: 'running', outputBytes: 9, lastLine: 'one' });
  });

  it('waits for input when it falls silent on a question, until output comes', () => {
    expect(changeTask(changeTask(aTask(), progress(5, 'done')), { type: 'silent' })).toEqual(
      changeTask(aTask(), progress(5, 'done')),
    );
    const asking = changeTask(aTask(), progress(5, 'Continue? [y/N]'));
    const waiting = changeTask(asking, { type: 'silent' });
    expect(waiting.waitsForInput).toBe(true);
    expect(changeTask(waiting, progress(5, 'Continue? [y/N]')).waitsForInput).toBe(true);
    expect(changeTask(waiting, progress(6, 'y'))).not.toHaveProperty('waitsForInput');
    expect(changeTask(waiting, settled({}))).not.toHaveProperty('waitsForInput');
  });

  it.each(['completed', 'failed', 'killed'] as const)('%s is final', (status) => {
    const end = changeTask(aTask(), settled({ status }));
    expect(end).toMatchObject({ status, endedAt: 9, result: { code: 0 }, outputBytes: 3 });
    for (const change of [
      progress(99, 'x'),
      settled({ status: 'failed' }),
      settled({ status: 'completed' }, 'Stopped.'),
      { type: 'started', terminalId: 'trm_2' } as const,
      { type: 'backgrounded' } as const,
      { type: 'silent' } as const,
    ]) {
      expect(changeTask(end, change)).toBe(end);
    }
    expect(changeTask(end, { type: 'end_told' })).toEqual({ ...end, endTold: true });
  });

  it('counts as killed when it was asked to stop, whatever its exit code', () => {
    expect(changeTask(aTask(), settled({}, 'Stopped by the user.'))).toMatchObject({
      status: 'killed',
      note: 'Stopped by the user.',
      result: { code: 0, interrupted: true },
    });
  });
});
