import { expect, test } from 'vitest';
import { isHeapGrown } from '../../src/main/node/runtime';

const MB = 1024 * 1024;

test.each([
  ['a start', 16 * MB, false, 900, false],
  ['a small heap', 8 * MB, true, 900, false],
  ['a run that has asked a model', 16 * MB, true, 900, true],
  ['a window that was never asked anything', 16 * MB, false, 60_000, true],
  ['a small heap of long ago', 8 * MB, true, 600_000, false],
])('the heap is grown and everything of the start loaded: %s', (_, bytes, hasAsked, ms, is) => {
  expect(isHeapGrown(bytes, hasAsked, ms)).toBe(is);
});
