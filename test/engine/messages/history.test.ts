import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyOf, openCalls } from '../../../src/main/engine/messages/history';
import { normalizeMessages, sinceBoundary } from '../../../src/main/engine/messages/normalize';
import { project } from '../../../src/main/engine/messages/projection';
import type { DurableEvent } from '../../../src/shared/agent-event';
import type { ContextEdit } from '../../../src/shared/context-edit';

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

const thought = (messageId: string): DurableEvent => ({
  type: 'block_finished',
  messageId,
  model: 'm',
  index: 1,
  block: { type: 'thinking', thinking: `thought of ${messageId}`, signature: 's' },
});
const dropped = (callId: string): ContextEdit => ({
  kind: 'replace_result',
  callId,
  content: [{ type: 'text', text: 'gone' }],
});
const edited = (edits: ContextEdit[], counted = 1): DurableEvent => ({
  type: 'context_edited',
  layer: 'l',
  edits,
  freed: 1,
  counted,
});

describe('an edit of the context', () => {
  const events = [
    said('1'),
    called('a', 'c1'),
    thought('a'),
    settled('c1'),
    called('b', 'c2'),
    thought('b'),
    settled('c2'),
  ];
  const sent = (edits: ContextEdit[], later: DurableEvent[] = []) =>
    JSON.stringify(historyOf([...events, edited(edits), ...later]).messages());

  it('changes the result, and drops the thinking that came after it and before the edit', () => {
    const now = sent([dropped('c1')], [called('d', 'c3'), thought('d')]);
    expect(now.match(/"gone"/g)).toHaveLength(1);
    expect(now).toContain('thought of a');
    expect(now).not.toContain('thought of b');
    expect(now).toContain('thought of d');
  });

  it('leaves all thinking to a result that no answer has seen', () => {
    const now = sent([dropped('c2')]);
    expect(now).toContain('thought of a');
    expect(now).toContain('thought of b');
  });

  it('drops the thinking of an answer, and that behind it', () => {
    expect(sent([{ kind: 'drop_thinking', messageId: 'a' }])).not.toContain('thought');
    const last = sent([{ kind: 'drop_thinking', messageId: 'b' }]);
    expect(last).toContain('thought of a');
    expect(last).not.toContain('thought of b');
  });

  it('that names nothing there changes nothing', () => {
    const before = historyOf(events).messages();
    expect(project(before, [dropped('other')])).toEqual(before);
    expect(sent([dropped('other')])).toBe(JSON.stringify(before));
    expect(sent([])).toBe(JSON.stringify(before));
  });

  it('gives the same folded one by one as applied to all at once', () => {
    const step = fc.oneof(
      fc.nat(5).map((n) => [called(`a${n}`, `c${n}`), thought(`a${n}`), settled(`c${n}`)]),
      fc.nat(5).map((n) => [edited([dropped(`c${n}`)])]),
      fc.nat(5).map((n) => [edited([{ kind: 'drop_thinking', messageId: `a${n}` }])]),
    );
    fc.assert(
      fc.property(fc.uniqueArray(step, { selector: (e) => JSON.stringify(e) }), (steps) => {
        const history = historyOf([]);
        let expected: readonly unknown[] = [];
        for (const event of steps.flat()) {
          const before = history.messages();
          history.fold(event);
          if (event.type !== 'context_edited') continue;
          expected = project(before, event.edits);
          expect(history.messages()).toEqual(expected);
          const kept = before.filter((message, i) => expected[i] === message);
          expect(kept.every((message) => history.messages().includes(message))).toBe(true);
        }
      }),
    );
  });

  it('is known to later counts only when they came after it', () => {
    const finished = (messageId: string): DurableEvent => ({
      type: 'message_finished',
      messageId,
      model: 'm',
      stopReason: null,
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      costUsd: 0,
    });
    const history = historyOf([...events, finished('b'), edited([dropped('c1')], 70)]);
    expect(history.cuts()).toEqual([{ after: 'c2:result', tokens: 70 }]);
    history.fold(compacted('k', ['1']));
    expect(history.cuts()).toEqual([]);
  });
});
