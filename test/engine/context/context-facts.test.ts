import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextChanged, contextParts } from '../../../src/main/engine/context/context-facts';
import type { ModelRequest } from '../../../src/main/engine/model/model-client';

const request = (opening: string | null): ModelRequest => ({
  model: 'm',
  maxTokens: 8192,
  system: [{ type: 'text', text: 'x'.repeat(400) }],
  tools: [{ name: 'T', description: 'd'.repeat(40), input_schema: {} }],
  messages: [
    {
      role: 'user',
      content: [
        ...(opening === null ? [] : [{ type: 'text', text: opening }]),
        { type: 'text', text: 'hello' },
      ],
    },
  ],
});
const opening = `<system-reminder>${'m'.repeat(383)}`;

describe('where the context goes', () => {
  it.each([
    ['with facts in front', opening, { system: 100, tools: 11, memory: 100, messages: 789 }],
    ['without', null, { system: 100, tools: 11, memory: 0, messages: 889 }],
  ])('%s', (_name, first, parts) => expect(contextParts(1000, request(first))).toEqual(parts));

  it('is never more, never less than what is used, and nothing is below 0', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.constantFrom(opening, null), (used, first) => {
        const parts = Object.values(contextParts(used, request(first)));
        expect(parts.reduce((a, b) => a + b, 0)).toBe(used);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it.each([
    ['the window', undefined, true, 200_000 - 8_192 - 13_000],
    ['a smaller one', 100_000, true, 100_000 - 8_192 - 13_000],
    ['never', undefined, false, null],
  ])('is summarised by %s', (_name, autoWindow, enabled, compactAt) => {
    const deps = {
      contextWindow: () => 200_000,
      autocompactWindow: () => autoWindow,
      autocompact: { wanted: () => enabled },
    };
    expect(contextChanged(500, request(null), deps)).toMatchObject({ compactAt, usedTokens: 500 });
  });
});
