import { describe, expect, it } from 'vitest';
import { CLEARED } from '../../../src/main/engine/messages/cache';
import { clearedAt, clearingOf, hasUncleared } from '../../../src/main/engine/messages/clearing';
import { createHistory } from '../../../src/main/engine/messages/history';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import { unclearedOf } from '../../../src/main/engine/messages/projection';
import type { DurableEvent } from '../../../src/shared/agent-event';
import type { ContextEdit } from '../../../src/shared/context-edit';

const MODEL = 'claude-sonnet-5-5';

const text = (value: string) => [{ type: 'text' as const, text: value }];
const call = (id: string, name: string, chars = 40): readonly DurableEvent[] => [
  {
    type: 'block_finished',
    messageId: `a-${id}`,
    model: MODEL,
    index: 0,
    block: { type: 'thinking', thinking: 'Hm.', signature: 's' },
  },
  {
    type: 'block_finished',
    messageId: `a-${id}`,
    model: MODEL,
    index: 1,
    block: { type: 'tool_use', id, name, input: {} },
  },
  {
    type: 'call_settled',
    callId: id,
    tool: name,
    title: { verb: name, target: '' },
    status: 'done',
    content: text('r'.repeat(chars)),
    isError: false,
    view: null,
    durationMs: 1,
  },
];
const cleared = (...ids: readonly string[]): ContextEdit[] =>
  ids.map((callId) => ({ kind: 'replace_result', callId, content: text(`${CLEARED}]`) }));
const edited = (edits: ContextEdit[]): DurableEvent => ({
  type: 'context_edited',
  layer: 'microcompact',
  edits,
  freed: 1,
  counted: 1,
});

function history(...events: readonly (DurableEvent | readonly DurableEvent[])[]) {
  const made = createHistory();
  made.fold({ type: 'user_message', id: 'u', content: text('do it') });
  for (const event of events.flat() as readonly DurableEvent[]) made.fold(event);
  return made.messages();
}
const sentTo = (messages: ReturnType<typeof history>) =>
  normalizeMessages(messages.map(unclearedOf), { model: MODEL });
const thoughts = (messages: ReturnType<typeof sentTo>) =>
  messages.flatMap(({ content }) => content).filter(({ type }) => type === 'thinking').length;

describe('what an API that clears by itself is sent', () => {
  it('holds results and thinking as they were, and counts what stays', () => {
    const messages = history(
      call('1', 'Read'),
      call('2', 'Edit'),
      call('3', 'Read'),
      call('4', 'Read'),
      edited(cleared('1', '3')),
      call('5', 'Bash'),
    );
    const there = sentTo(messages);
    expect(thoughts(there)).toBe(5);
    expect(thoughts(normalizeMessages(messages, { model: MODEL }))).toBe(2);
    expect(JSON.stringify(there)).not.toContain(CLEARED);
    const clearing = clearingOf(messages, there);
    expect(clearing).toMatchObject({
      keptCalls: 2,
      keptTools: ['Edit'],
      results: 2,
      keptThinking: 2,
      thinking: 3,
    });
    expect(clearing && there[clearedAt(there, clearing)]?.content[0]).toMatchObject({
      tool_use_id: '3',
    });
  });

  it('is nothing of its own where nothing was cleared', () => {
    const plain = history(call('1', 'Read'));
    expect(hasUncleared(plain)).toBe(false);
    expect(clearingOf(plain, sentTo(plain))).toBeNull();
  });

  it.each([1, 2, 3])(
    'keeps the newest call when all %i were cleared, as a rewind leaves them',
    (count) => {
      const ids = ['1', '2', '3'].slice(0, count);
      const all = history(...ids.map((id) => call(id, 'Read')), edited(cleared(...ids)));
      const there = sentTo(all);
      expect(JSON.stringify(there)).not.toContain(CLEARED);
      expect(clearingOf(all, there)).toMatchObject({ keptCalls: 1, results: count - 1 });
      const next = history(
        ...ids.map((id) => call(id, 'Read')),
        edited(cleared(...ids)),
        call('9', 'Read'),
      );
      expect(clearingOf(next, sentTo(next))).toMatchObject({ keptCalls: 1, results: count });
    },
  );

  it('is what everybody is sent once another edit changed it', () => {
    const messages = history(
      call('1', 'Read'),
      call('2', 'Read'),
      call('3', 'Read'),
      edited(cleared('1', '2')),
      edited([{ kind: 'replace_result', callId: '1', content: text('[left out]') }]),
    );
    const there = sentTo(messages);
    expect(JSON.stringify(there)).toContain('[left out]');
    expect(thoughts(there)).toBe(1);
    expect(clearingOf(messages, there)).toMatchObject({ results: 1, keptCalls: 1 });
  });

  it('holds no more than may be sent: then only what is cleared now', () => {
    const messages = history(
      call('1', 'Read', 600_000),
      call('2', 'Read'),
      edited(cleared('1')),
      call('3', 'Read', 600_000),
      call('4', 'Read'),
      edited(cleared('3')),
    );
    const there = sentTo(messages);
    expect(JSON.stringify(there).length).toBeLessThan(700_000);
    expect(clearingOf(messages, there)).toMatchObject({ results: 1, keptCalls: 1, thinking: 0 });
  });
});
