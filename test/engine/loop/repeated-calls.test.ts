import { describe, expect, it } from 'vitest';
import {
  countRepeats,
  isRepeating,
  NO_REPEATS,
  type Repeats,
  repeatText,
} from '../../../src/main/engine/loop/transitions';
import type { ToolUseBlock } from '../../../src/shared/message';

let count = 0;
const call = (name: string, input: Record<string, unknown>): ToolUseBlock => ({
  type: 'tool_use',
  id: `call_${++count}`,
  name,
  input,
});
const same = () => call('Read', { file_path: '/a', limit: 3 });

describe('the guard against repeated calls', () => {
  const times = (count: number) =>
    Array.from({ length: count }).reduce<Repeats>(
      (repeats) => countRepeats(repeats, [same()]),
      NO_REPEATS,
    );

  it('counts over several answers, whatever the order of the fields', () => {
    let repeats = times(2);
    repeats = countRepeats(repeats, [call('Read', { limit: 3, file_path: '/a' })]);
    repeats = countRepeats(repeats, []);
    expect(repeats.count).toBe(3);
    expect(isRepeating(countRepeats(repeats, [same()]))).toBe(false);
    const full = countRepeats(times(4), [same(), call('Grep', {})]);
    expect(isRepeating(full)).toBe(true);
    expect(repeatText(full)).toMatch(/Read .*5 times/);
  });

  it('counts equal calls that were asked for together once', () => {
    const twelve = Array.from({ length: 12 }, same);
    expect(countRepeats(NO_REPEATS, twelve).count).toBe(1);
    expect(countRepeats(times(2), twelve).count).toBe(3);
    expect(isRepeating(countRepeats(times(4), twelve))).toBe(true);
  });

  it.each([
    ['another tool', call('Grep', { file_path: '/a', limit: 3 })],
    ['another input', call('Read', { file_path: '/a', limit: 4 })],
    ['the same input, cut short', { ...same(), invalid: 'cut short' }],
  ])('begins anew after %s', (_name, other) => {
    const four = times(4);
    expect(countRepeats(four, [other]).count).toBe(1);
    expect(countRepeats(four, [other, same()]).count).toBe(1);
  });
});
