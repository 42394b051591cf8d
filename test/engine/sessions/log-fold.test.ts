import { expect, it } from 'vitest';
import { createLogFold } from '../../../src/main/engine/sessions/log-fold';
import type { DurableEvent } from '../../../src/shared/agent-event';
import type { ToolView } from '../../../src/shared/tool-call';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

const settled = (callId: string, view: ToolView | null): DurableEvent => ({
  type: 'call_settled',
  callId,
  tool: view === null ? 'Read' : 'Bash',
  title: { verb: 'Did', target: callId },
  status: 'done',
  content: [],
  isError: false,
  view,
  durationMs: 1,
});

const query = (n: number): readonly DurableEvent[] => [
  { type: 'query_started', queryId: `q${n}` },
  { type: 'user_message', id: `u${n}`, content: [{ type: 'text', text: `Do ${n}.` }] },
  {
    type: 'block_finished',
    messageId: `m${n}`,
    model: 'm',
    index: 0,
    block: { type: 'tool_use', id: `c${n}`, name: 'Read', input: {} },
  },
  { type: 'text_replaced', messageId: `m${n}`, index: 1, text: 'Shown.' },
  {
    ...{ type: 'message_finished', messageId: `m${n}`, model: 'm', stopReason: 'tool_use' },
    ...{ usage, costUsd: 0 },
  },
  settled(`c${n}`, null),
  settled(`s${n}`, {
    kind: 'shell',
    command: 'make',
    tail: '',
    totalLines: 0,
    exitCode: 0,
    background: false,
  }),
  { type: 'continued', reason: 'next_turn' },
  { type: 'notice', level: 'info', code: 'n', text: 'Said.' },
];

const folded = (events: readonly DurableEvent[]) => {
  const fold = createLogFold('s');
  events.forEach((event, at) => void fold.take({ at, event }));
  return fold;
};

it('keeps of earlier queries what is looked for in a log, and the last one whole', () => {
  const fold = folded([...query(1), ...query(2)]);
  const types = fold.lines().map(({ event }) => event.type);
  expect(types).toEqual([
    ...['query_started', 'user_message', 'call_settled', 'notice'],
    ...query(2).map(({ type }) => type),
  ]);
  expect(fold.lines()[2]?.event).toMatchObject({ callId: 's1' });
  expect(fold.lastAt()).toBe(17);
});

it('folds history and transcript from every line, those that go included', () => {
  const fold = folded([...query(1), ...query(2)]);
  const ids = fold.history.messages().map(({ id }) => id);
  expect(ids).toEqual(['u1', 'm1', 'c1:result', 's1:result', 'u2', 'm2', 'c2:result', 's2:result']);
  const { committed, active, costs } = fold.transcript();
  expect([...committed, ...active].map(({ id }) => id)).toEqual(
    expect.arrayContaining(['u1', 'c1', 's1', 'u2', 'c2', 's2']),
  );
  expect(costs.total.requests).toBe(2);
});
