import { describe, expect, it } from 'vitest';
import type { TerminalExit } from '../../../../src/main/engine/ports';
import { endOf } from '../../../../src/main/engine/tasks/runners/local-bash';
import type { TaskEnd } from '../../../../src/main/engine/tasks/task-runner';

describe('the end of a terminal as the end of a task', () => {
  it.each<[Partial<TerminalExit>, Partial<TaskEnd>]>([
    [{ exitCode: 0 }, { status: 'completed', result: { code: 0, interrupted: false } }],
    [{ exitCode: 2 }, { status: 'failed', result: { code: 2, interrupted: false } }],
    [
      { exitCode: null, signal: 9 },
      { status: 'failed', result: { code: null, signal: 9, interrupted: false } },
    ],
    [
      { exitCode: null, lost: 'host died' },
      { status: 'failed', note: 'Lost: host died' },
    ],
    [
      { exitCode: 0, note: 'not saved' },
      { status: 'completed', note: 'not saved' },
    ],
    [
      { exitCode: null, signal: 15, stopped: 'Too much output.' },
      {
        status: 'killed',
        note: 'Too much output.',
        result: { code: null, signal: 15, interrupted: true },
      },
    ],
  ])('%j is %j', (exit, end) => {
    expect(endOf({ exitCode: null, bytes: 7, ...exit })).toMatchObject({ bytes: 7, ...end });
  });
});
