import { expect, test } from 'vitest';
import { createLineMapper } from '../../../src/main/hosts/headless/stream-json';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { aTask } from '../../engine/tasks/a-task';

const STAMP = { session_id: 'ses', uuid: 'u' };

const map = (events: readonly AgentEvent[]) => {
  const mapper = createLineMapper(
    {
      ...{ sessionId: 'ses', uuid: () => 'u', spent: () => ({}) },
      ...{ structuredOutput: () => undefined, shownInput: () => null },
    },
    false,
  );
  return events.flatMap((event) => mapper.lines(event));
};

const settled = (isError = false): AgentEvent => ({
  ...{ type: 'call_settled', callId: 'c1', tool: 'Bash', durationMs: 4, view: null, isError },
  ...{ title: { verb: 'Bash', target: 'ls' }, content: [{ type: 'text', text: 'a.txt' }] },
  status: isError ? 'denied' : 'done',
});

test('the end of a task is told as a change of it, and as news for the model', () => {
  const task = aTask({ callId: 'c1', status: 'killed', endedAt: 7, note: 'stopped by you' });
  expect(map([{ type: 'task_settled', task }])).toEqual([
    {
      ...{ type: 'system', subtype: 'task_updated', task_id: 'b_1' },
      patch: { status: 'killed', end_time: 7 },
      ...STAMP,
    },
    {
      type: 'system',
      subtype: 'task_notification',
      task_id: 'b_1',
      tool_use_id: 'c1',
      status: 'stopped',
      output_file: '/s/tasks/b_1.output',
      summary: 'stopped by you',
      ...STAMP,
    },
  ]);
  const [failed] = map([{ type: 'task_settled', task: { ...task, status: 'failed' } }]);
  expect(failed).toMatchObject({ patch: { status: 'failed', error: 'stopped by you' } });
});

test('a call that was denied without a question is told of by itself', () => {
  const denied = settled(true);
  expect(map([denied])).toMatchObject([
    { subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 'c1', message: 'a.txt' },
    { type: 'user', tool_use_result: 'Error: a.txt' },
  ]);
  const approval = { callId: 'c1' } as Extract<
    AgentEvent,
    { type: 'approval_requested' }
  >['approval'];
  expect(map([{ type: 'approval_requested', approval }, denied])).toMatchObject([{ type: 'user' }]);
});

test.each([
  [{ kind: 'generic', title: '', detail: '' } as const, 'a.txt'],
  [{ kind: 'todo', items: [] } as const, { newTodos: [] }],
  [
    {
      ...{ kind: 'shell', command: 'ls', tail: '', totalLines: 1, exitCode: 0 },
      background: false,
    } as const,
    { stdout: 'a.txt', stderr: '', interrupted: false, isImage: false },
  ],
])('a result says in its own shape what came of a call: $kind', (view, result) => {
  const [line] = map([{ ...settled(), view } as AgentEvent]);
  expect(line).toMatchObject({ type: 'user', tool_use_result: result });
});
