import { expect, it } from 'vitest';
import { historyOf, openCalls } from '../../../src/main/engine/messages/history';
import { normalizeMessages, sinceBoundary } from '../../../src/main/engine/messages/normalize';
import type { DurableEvent } from '../../../src/shared/agent-event';

const said = (id: string): DurableEvent => ({
  type: 'user_message',
  id,
  content: [{ type: 'text', text: id }],
});
const called = (messageId: string, id: string): DurableEvent => ({
  type: 'block_finished',
  messageId,
  model: 'm',
  index: 0,
  block: { type: 'tool_use', id, name: 'Read', input: {} },
});
const settled = (callId: string): DurableEvent => ({
  type: 'call_settled',
  callId,
  tool: 'Read',
  title: { verb: 'Read', target: '' },
  status: 'done',
  content: [{ type: 'text', text: 'r' }],
  isError: false,
  view: null,
  durationMs: 1,
});
const compacted = (id: string, removed: string[]): DurableEvent => ({
  type: 'compacted',
  id,
  summary: `summary ${id}`,
  removed,
  tokensBefore: 2,
  tokensAfter: 1,
});
const ids = (events: readonly DurableEvent[]) =>
  historyOf(events)
    .messages()
    .map((m) => m.id);

it.each<[string, DurableEvent[], string[], string | undefined]>([
  ['in front of the tail it keeps', [compacted('b', ['1', '2'])], ['1', '2', 'b', '3'], '3'],
  [
    'at the end when nothing is kept',
    [compacted('b', ['1', '2', '3'])],
    ['1', '2', '3', 'b'],
    undefined,
  ],
  ['at the end when it says nothing', [compacted('b', [])], ['1', '2', '3', 'b'], undefined],
  [
    'behind an earlier one that it replaces',
    [compacted('b', ['1', '2']), said('4'), compacted('c', ['b', '3'])],
    ['1', '2', 'b', '3', 'c', '4'],
    '4',
  ],
])('puts a boundary %s', (_, events, expected, keptUntil) => {
  const all = [said('1'), said('2'), said('3'), ...events];
  expect(ids(all)).toEqual(expected);
  const [boundary] = sinceBoundary(historyOf(all).messages());
  expect(boundary).toMatchObject({ role: 'boundary' });
  expect(boundary?.role === 'boundary' ? boundary.keptUntil : 'none').toBe(keptUntil);
});

it('takes a void answer out together with the results of its calls', () => {
  const events = [said('1'), called('a', 'c1'), settled('c1'), called('b', 'c2'), settled('c2')];
  const void_: DurableEvent = { type: 'tombstone', messageId: 'a', reason: 'r', calls: ['c1'] };
  expect(ids([...events, void_])).toEqual(['1', 'b', 'c2:result']);
  expect(openCalls(historyOf([...events, void_]).messages())).toEqual([]);
});

it('keeps what an attachment is about, and its images', () => {
  const source = { type: 'base64' as const, media_type: 'image/png', data: 'A' };
  const attachment: DurableEvent = {
    type: 'attachment',
    id: 'x',
    kind: 'mention',
    text: 't',
    about: '@a.png',
    images: [{ type: 'image', source }],
  };
  const [message] = historyOf([attachment]).messages();
  expect(message).toMatchObject({ about: '@a.png', images: [{ source }] });
  const sent = normalizeMessages(message ? [message] : [], { model: 'm' });
  expect(JSON.stringify(sent)).not.toContain('about');
});
