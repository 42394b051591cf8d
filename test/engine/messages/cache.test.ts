import { expect, it } from 'vitest';
import {
  type CacheableParts,
  CLEARED,
  placeCacheBreakpoints,
} from '../../../src/main/engine/messages/cache';

const parts: CacheableParts = {
  system: [
    { type: 'text', text: 'static' },
    { type: 'text', text: 'dynamic' },
  ],
  tools: ['A', 'B'].map((name) => ({ name, description: '', input_schema: { type: 'object' } })),
  messages: [
    { role: 'user', content: [{ type: 'text', text: '1' }] },
    { role: 'assistant', content: [{ type: 'text', text: '2' }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'x', content: [] },
        { type: 'text', text: '3' },
      ],
    },
  ],
};
const marks = (value: unknown) => JSON.stringify(value).match(/cache_control/g)?.length ?? 0;

it('marks the ends of tools, static part, system prompt and newest message', () => {
  const placed = placeCacheBreakpoints(parts);
  expect(marks(placed)).toBe(4);
  expect(placed.tools.map((t) => 'cache_control' in t)).toEqual([false, true]);
  expect(placed.system.map((t) => 'cache_control' in t)).toEqual([true, true]);
  expect(placed.messages.map(marks)).toEqual([0, 0, 1]);
  expect(placed.messages[2]?.content[1]).toHaveProperty('cache_control', { type: 'ephemeral' });
});

it('moves with the conversation and never leaves a mark behind', () => {
  const placed = placeCacheBreakpoints(parts);
  expect(placeCacheBreakpoints(placed)).toEqual(placed);
  const longer = {
    ...placed,
    messages: [
      ...placed.messages,
      { role: 'user' as const, content: [{ type: 'text', text: '4' }] },
    ],
  };
  const again = placeCacheBreakpoints(longer);
  expect(again.messages.map(marks)).toEqual([0, 0, 0, 1]);
  expect(again.messages[2]).toEqual(parts.messages[2]);
});

it('copes with nothing to mark, and never marks thinking', () => {
  expect(marks(placeCacheBreakpoints({ system: [], tools: [], messages: [] }))).toBe(0);
  const thinking = { type: 'thinking', thinking: '', signature: '' };
  const messages = [{ role: 'assistant' as const, content: [thinking] }];
  expect(marks(placeCacheBreakpoints({ system: [], tools: [], messages }))).toBe(0);
});

it.each<[string, number, boolean]>([
  ['few calls', 9, false],
  ['more blocks than the API looks back over', 10, true],
])('finds the request before again after a turn with %s', (_, calls, bridged) => {
  const ids = Array.from({ length: calls }, (_unused, i) => `c${i}`);
  const grown: CacheableParts = {
    ...parts,
    messages: [
      ...parts.messages,
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id })) },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id })) },
    ],
  };
  const placed = placeCacheBreakpoints(grown);
  expect(marks(placed)).toBe(4);
  expect(placed.messages.map(marks)).toEqual([0, 0, bridged ? 1 : 0, 0, 1]);
  expect(placed.tools.map(marks)).toEqual([0, bridged ? 0 : 1]);
  expect(placeCacheBreakpoints(placed)).toEqual(placed);
  // The bridge stands exactly where the request before ended.
  const before = placeCacheBreakpoints(parts).messages[2];
  if (bridged) expect(placed.messages[2]).toEqual(before);
});

it('never places more than four', () => {
  const long = Array.from({ length: 40 }, (_, i) => ({ type: 'text', text: `${i}` }));
  const messages = [
    { role: 'user' as const, content: long },
    { role: 'assistant' as const, content: long },
    { role: 'user' as const, content: long },
  ];
  for (const system of [[], parts.system.slice(0, 1), parts.system]) {
    const placed = placeCacheBreakpoints({ ...parts, system, messages });
    expect(marks(placed)).toBeLessThanOrEqual(4);
    expect(marks(placed.messages)).toBe(2);
  }
});

it('keeps the part up to the newest cleared result, which clearing more leaves whole', () => {
  const result = (id: string, text: string) => ({
    role: 'user' as const,
    content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }],
  });
  const call = (id: string) => ({
    role: 'assistant' as const,
    content: [{ type: 'tool_use', id, name: 'Read', input: {} }],
  });
  const messages = [
    ...parts.messages,
    ...[call('a'), result('a', `${CLEARED}, about 5000 tokens]`)],
    ...[call('b'), result('b', `${CLEARED}, about 5000 tokens]`)],
    ...[call('c'), result('c', 'news')],
  ];
  const placed = placeCacheBreakpoints({ ...parts, messages });
  expect(placed.messages.map(marks)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 1]);
  expect(marks(placed)).toBe(4);
  expect(placed.tools.map(marks)).toEqual([0, 0]);
  expect(placeCacheBreakpoints(placed)).toEqual(placed);
  const many = Array.from({ length: 12 }, (_, n) => call(`d${n}`).content[0] ?? {});
  const more = [...messages, { role: 'assistant' as const, content: many }];
  const results = Array.from({ length: 12 }, (_, n) => result(`d${n}`, '').content[0] ?? {});
  const crowded = [...more, { role: 'user' as const, content: results }];
  const full = placeCacheBreakpoints({ ...parts, messages: crowded });
  expect(marks(full)).toBe(4);
  expect(full.messages.map(marks)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1]);
  expect(full.system.map(marks)).toEqual([1, 0]);
});
