import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ContextLevel,
  type ContextLimits,
  contextChanged,
  contextLevel,
  contextLimits,
  contextParts,
  limitsFor,
} from '../../../src/main/engine/context/limits';
import type { ModelRequest } from '../../../src/main/engine/model/model-client';

describe('the limits of a window', () => {
  it.each([
    [200_000, 8_192, { warning: 158_808, autocompact: 178_808, blocking: 188_808 }],
    [200_000, 64_000, { warning: 147_000, autocompact: 167_000, blocking: 177_000 }],
    [1_000_000, 8_192, { warning: 958_808, autocompact: 978_808, blocking: 988_808 }],
    [10_000, 8_192, { warning: 0, autocompact: 0, blocking: 0 }],
  ])('%i tokens, %i of them for output', (window, output, expected) => {
    expect(contextLimits(window, output)).toEqual({ window, ...expected });
  });

  it.each<[number, ContextLevel]>([
    [0, 'ok'],
    [158_807, 'ok'],
    [158_808, 'warning'],
    [178_808, 'full'],
    [188_807, 'full'],
    [188_808, 'blocked'],
  ])('%i of 200000 is %s', (tokens, level) => {
    expect(contextLevel(tokens, contextLimits(200_000, 8_192))).toBe(level);
  });

  it.each<[number, number | undefined, ContextLevel]>([
    [190_000, undefined, 'ok'],
    [190_000, 200_000, 'full'],
    [999_000, 200_000, 'blocked'],
    [100_000, 200_000, 'ok'],
    [190_000, 2_000_000, 'ok'],
  ])('%i of a million, to be summarised as for %s: %s', (tokens, autoWindow, level) => {
    const sizes = { contextWindow: () => 1_000_000, autocompactWindow: () => autoWindow };
    const limits = limitsFor({ model: 'm', maxTokens: 8_192 }, sizes);
    expect(limits.window).toBe(1_000_000);
    expect(contextLevel(tokens, limits)).toBe(level);
  });
});

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
      summarisesAt: (limits: ContextLimits) => (enabled ? limits.autocompact : null),
    };
    expect(contextChanged(500, request(null), deps)).toMatchObject({ compactAt, usedTokens: 500 });
  });
});
