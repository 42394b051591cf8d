import { describe, expect, it } from 'vitest';
import { waitingPrompts } from '../../../src/main/engine/sessions/repair';
import type { DurableEvent } from '../../../src/shared/agent-event';
import type { QueuedPrompt } from '../../../src/shared/queued-prompt';

const prompt = (id: string, text = id): QueuedPrompt => ({ id, text, priority: 'next' });
const queued = (order: string, change: { added?: QueuedPrompt[]; sent?: string[] } = {}) =>
  ({ type: 'queue_changed', order: order.split(' ').filter(Boolean), ...change }) as const;
const both = queued('a b', { added: [prompt('a'), prompt('b')] });
const said = (id: string): DurableEvent => ({ type: 'user_message', id, content: [] });
const finished = (cut?: true): DurableEvent => ({
  ...{
    type: 'query_finished',
    queryId: 'q',
    terminal: 'completed',
    text: '',
    turns: 1,
    costUsd: 0,
  },
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ durationMs: 0, apiMs: 0, denials: [], stopReason: null, ...(cut ? { cut } : {}) },
});

describe('the prompts that wait when Lathe starts again', () => {
  it.each<[string, readonly DurableEvent[], string]>([
    ['none', [finished()], ''],
    ['those of the queue', [both], 'a b'],
    ['not one that was taken back', [both, queued('b')], 'b'],
    ['in the order of the user', [both, queued('b a')], 'b a'],
    ['one whose words changed', [both, queued('a b', { added: [prompt('b', 'new')] })], 'a new'],
    ['one on its way', [both, queued('b', { sent: ['a'] })], 'a b'],
    [
      'one on its way, though the query was cut',
      [both, queued('b', { sent: ['a'] }), finished(true)],
      'a b',
    ],
    ['not one that was said', [both, queued('b', { sent: ['a'] }), said('a')], 'b'],
    ['one of two on their way', [both, queued('', { sent: ['a', 'b'] }), said('a')], 'b'],
    [
      'not one that a finished query did not take in',
      [both, queued('b', { sent: ['a'] }), finished()],
      'b',
    ],
    ['one that waits anew after a restart once', [both, queued('b', { sent: ['a'] }), both], 'a b'],
    ['not one that was said meanwhile', [both, said('b')], 'a'],
  ])('are %s', (_, events, expected) => {
    expect(
      waitingPrompts(events)
        .map(({ text }) => text)
        .join(' '),
    ).toBe(expected);
  });
});
