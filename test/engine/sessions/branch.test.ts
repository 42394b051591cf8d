import { describe, expect, it } from 'vitest';
import { type BranchPoint, linesUntil } from '../../../src/main/engine/sessions/branch';
import type { DurableEvent } from '../../../src/shared/agent-event';

const block = (messageId: string, index: number, callId?: string) =>
  ({
    ...{ type: 'block_finished', messageId, index, model: 'm' },
    block:
      callId === undefined
        ? { type: 'text', text: 'words' }
        : { type: 'tool_use', id: callId, name: 'Bash', input: {} },
  }) as DurableEvent;
const event = (type: string, more: object = {}) => ({ type, ...more }) as DurableEvent;
const log: readonly DurableEvent[] = [
  event('session_started'),
  event('query_started'),
  event('user_message', { id: 'p1' }),
  block('m1', 0),
  block('m1', 1, 'c1'),
  block('m1', 2, 'c2'),
  event('message_finished', { messageId: 'm1' }),
  event('call_settled', { callId: 'c1' }),
  event('call_settled', { callId: 'c2' }),
  event('attachment', { id: 'a1' }),
  block('m2', 0),
  event('message_finished', { messageId: 'm2' }),
  event('query_finished'),
  event('query_started'),
  event('user_message', { id: 'p2' }),
];
const lines = log.map((one, at) => ({ at, event: one }));
const upTo = (point: BranchPoint) => linesUntil(lines, point)?.length ?? null;
const item = (itemId: string): BranchPoint => ({ kind: 'item', itemId });

describe('a copy of a session', () => {
  it.each<[string, BranchPoint, number | null]>([
    ['goes behind the results of an answer', item('m1:0'), 10],
    ['goes behind the results of all calls that were made with one', item('c1'), 10],
    ['takes the end of the query with the last answer', item('m2:0'), 13],
    ['ends before a prompt', item('p2'), 13],
    ['ends before a prompt, by its own point', { kind: 'prompt', promptId: 'p2' }, 13],
    ['needs a place that is there', item('gone'), null],
  ])('%s', (_, point, count) => expect(upTo(point)).toBe(count));
});
