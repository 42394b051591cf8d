import { expect, test } from 'vitest';
import { historyOf } from '../../../src/main/engine/messages/history';
import { callIdsBehind, createUniqueIds } from '../../../src/main/engine/messages/unique-ids';
import type { DurableEvent } from '../../../src/shared/agent-event';
import { NO_USAGE } from '../../../src/shared/facts';

const ids = { next: (kind: string) => `${kind}_fresh`, uuid: () => 'fresh' };

const past: readonly DurableEvent[] = [
  {
    type: 'block_finished',
    messageId: 'msg_1',
    model: 'm',
    index: 0,
    block: { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} },
  },
  {
    type: 'message_finished',
    messageId: 'msg_1',
    model: 'm',
    stopReason: 'tool_use',
    usage: NO_USAGE,
    costUsd: 0,
  },
  {
    type: 'call_settled',
    callId: 'toolu_1',
    tool: 'Read',
    title: { verb: 'Read', target: 'a' },
    status: 'done',
    content: [],
    isError: false,
    view: null,
    durationMs: 1,
  },
];

test('an answer and a call of a resumed session keep their names from those that come', () => {
  const history = historyOf(past);
  const unique = createUniqueIds(history, ids, callIdsBehind(history));
  expect(unique.answer('msg_1')).toBe('msg_fresh');
  expect(unique.answer('msg_2')).toBe('msg_2');
  expect(unique.call('toolu_1')).toBe('toolu_1_2');
  expect(unique.call('toolu_1')).toBe('toolu_1_3');
  expect(unique.call('')).toBe('call_fresh');
});

test('two agents of a session share the ids of their calls', () => {
  const history = historyOf(past);
  const calls = callIdsBehind(history);
  const main = createUniqueIds(history, ids, calls);
  const other = createUniqueIds(historyOf([]), ids, calls);
  expect(main.call('toolu_7')).toBe('toolu_7');
  expect(other.call('toolu_7')).toBe('toolu_7_2');
  expect(other.call('toolu_1')).toBe('toolu_1_2');
});
