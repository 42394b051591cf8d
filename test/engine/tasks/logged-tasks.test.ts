import { describe, expect, it } from 'vitest';
import { openTasksIn } from '../../../src/main/engine/tasks/notification';
import type { DurableEvent } from '../../../src/shared/agent-event';
import type { Task } from '../../../src/shared/task';
import type { ToolView } from '../../../src/shared/tool-call';
import { aTask } from './a-task';

const started = (over: Partial<Task> = {}, memo?: unknown): DurableEvent => ({
  ...{ type: 'task_started', task: aTask(over) },
  ...(memo === undefined ? {} : { memo }),
});
const settled = (over: Partial<Task> = {}): DurableEvent => ({
  type: 'task_settled',
  task: aTask({ status: 'completed', ...over }),
});
const told = (about: string, kind = 'task_notification'): DurableEvent => ({
  ...{ type: 'attachment', id: 'att_1', kind, about, text: 'x' },
});
const call = (view: Partial<ToolView> | null): DurableEvent => ({
  ...{ type: 'call_settled', callId: 'toolu_1', tool: 'Bash', title: { verb: '', target: '' } },
  ...{ status: 'done', content: [], isError: false, durationMs: 0 },
  view: view && ({ kind: 'shell', taskId: 'b_1', background: true, ...view } as ToolView),
});

describe('the tasks a log leaves open', () => {
  it.each<[string, readonly DurableEvent[], readonly string[]]>([
    ['one that ran', [started()], ['running']],
    ['none when its end was told', [started(), settled(), told('b_1 ended')], []],
    ['one whose end was not told', [started(), settled()], ['completed']],
    [
      'one whose end another kind of attachment names',
      [started(), settled(), told('b_1 ended', 'file')],
      ['completed'],
    ],
    [
      'none when its end came with a call',
      [started(), settled(), call({ taskStatus: 'completed' })],
      [],
    ],
    ['one that a call saw while it ran', [started(), call({ taskStatus: 'running' })], ['running']],
    ['none whose call told that it never started', [settled({ endTold: true })], []],
    ['none of an older log, which did not tell of starts', [settled()], []],
    [
      'none that ended with its call',
      [started({ isBackgrounded: false }), call({ background: false })],
      [],
    ],
    [
      'a foreground one whose call was cut off',
      [started({ isBackgrounded: false }), call(null)],
      ['running'],
    ],
    [
      'one that was moved to the background',
      [started({ isBackgrounded: false }), started(), call({ background: true })],
      ['running'],
    ],
  ])('%s', (_, events, statuses) => {
    expect(openTasksIn(events).map(({ task }) => task.status)).toEqual(statuses);
  });

  it('come with what their runner left and how far they were read and told of', () => {
    const events = [
      started({ id: 'm_1' }, { pattern: 'x' }),
      told('m_1 output 20'),
      told('m_1 waits'),
      told('m_1 output 42'),
      call({ taskId: 'm_1', taskStatus: 'running', readTo: 7 }),
      call({ taskId: 'm_1', taskStatus: 'running', readTo: 9 }),
      started({ id: 'b_2' }),
    ];
    expect(openTasksIn(events)).toMatchObject([
      { task: { id: 'm_1' }, memo: { pattern: 'x' }, readTo: 9, toldTo: 42, waitTold: true },
      { task: { id: 'b_2' }, readTo: 0, toldTo: 0, waitTold: false },
    ]);
  });
});
