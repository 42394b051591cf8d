import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  splitForSummary,
  TAIL_TOKENS,
  withoutOldestHalf,
} from '../../../src/main/engine/context/summarise';
import { messagesTokens } from '../../../src/main/engine/context/tokens';
import { openCalls } from '../../../src/main/engine/messages/history';
import type { Message } from '../../../src/shared/message';

let count = 0;
const words = (tokens: number) => ({ type: 'text' as const, text: 'word'.repeat(tokens) });
const user = (tokens: number): Message => ({
  role: 'user',
  id: `m${++count}`,
  content: [words(tokens)],
});
const turn = (calls: number, tokens: number): readonly Message[] => {
  const ids = Array.from({ length: calls }, () => `c${++count}`);
  return [
    {
      role: 'assistant',
      id: `m${++count}`,
      model: 'm',
      content: ids.map((id) => ({ type: 'tool_use' as const, id, name: 'T', input: {} })),
    },
    ...ids.map(
      (id): Message => ({
        role: 'user',
        id: `${id}:result`,
        content: [{ type: 'tool_result', tool_use_id: id, content: [words(tokens)] }],
      }),
    ),
  ];
};
const history = fc
  .array(
    fc.oneof(
      fc.record({ tokens: fc.nat(9_000) }).map(({ tokens }) => [user(tokens)]),
      fc.record({ calls: fc.nat(3), tokens: fc.nat(9_000) }).map((t) => turn(t.calls, t.tokens)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.flat());

describe('what a summary replaces', () => {
  it('keeps the recent part, up to a quarter', () => {
    const all = [user(100), ...turn(1, 100), user(50), user(20), user(10)];
    const { head, tail } = splitForSummary(all);
    expect([head.length, tail.length]).toEqual([4, 2]);
  });

  it('keeps the newest prompt, however short the rest is', () => {
    const newest = user(500);
    expect(splitForSummary([user(10), newest]).tail).toEqual([newest]);
    expect(splitForSummary([user(10), ...turn(2, 5_000)]).head).toHaveLength(1);
  });

  it('gives a newest prompt that is huge to the summary', () => {
    expect(splitForSummary([user(10), user(TAIL_TOKENS + 1)]).tail).toEqual([]);
  });

  it('keeps nothing of a history that is one message', () => {
    expect(splitForSummary([user(500)])).toMatchObject({ tail: [] });
    expect(splitForSummary([])).toEqual({ head: [], tail: [] });
  });

  it('never parts a call from its result, loses nothing, and stays in its bounds', () => {
    fc.assert(
      fc.property(history, (all) => {
        const { head, tail } = splitForSummary(all);
        expect([...head, ...tail]).toEqual(all);
        expect(openCalls(head)).toEqual([]);
        expect(openCalls(tail)).toEqual([]);
        expect(messagesTokens(tail)).toBeLessThanOrEqual(TAIL_TOKENS);
        const shorter = tail.findIndex(
          (_, at) => at > 0 && openCalls(tail.slice(0, at)).length === 0,
        );
        if (shorter > 0) expect(messagesTokens(tail)).toBeLessThanOrEqual(messagesTokens(all) / 4);
      }),
    );
  });

  it('drops at least the oldest half, never half a turn, and ends', () => {
    fc.assert(
      fc.property(history, (all) => {
        const rest = withoutOldestHalf(all);
        expect(all.slice(all.length - rest.length)).toEqual(rest);
        expect(openCalls(rest)).toEqual([]);
        expect(messagesTokens(rest)).toBeLessThanOrEqual(messagesTokens(all) / 2);
        expect(rest.length).toBeLessThan(all.length || 1);
      }),
    );
  });
});
