import { describe, expect, it } from 'vitest';
import { levelOf } from '../../../src/main/engine/context/autocompact';
import {
  type ContextLevel,
  contextLevel,
  contextLimits,
} from '../../../src/main/engine/context/blocking';

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
    expect(levelOf(tokens, 1_000_000, 8_192, autoWindow)).toBe(level);
  });
});
