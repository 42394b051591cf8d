import { expect, it } from 'vitest';
import {
  type CacheableParts,
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
