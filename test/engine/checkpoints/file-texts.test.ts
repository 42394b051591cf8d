import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutHunk } from '../../../src/main/engine/checkpoints/file-texts';

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at}\n`);

describe('a text without one hunk', () => {
  it('keeps the others', () => {
    const before = LINES.join('');
    const now = LINES.with(2, 'two\n').with(30, 'thirty\n').join('');
    expect(withoutHunk(before, now, 0)).toBe(LINES.with(30, 'thirty\n').join(''));
    expect(withoutHunk(before, now, 1)).toBe(LINES.with(2, 'two\n').join(''));
    expect(withoutHunk(before, now, 2)).toBeNull();
  });

  it('keeps line ends as they were, and a missing one', () => {
    expect(withoutHunk('a\r\nb', 'a\r\nc\r\n', 0)).toBe('a\r\nb');
    expect(withoutHunk('', 'new\n', 0)).toBe('');
    expect(withoutHunk('old\n', '', 0)).toBe('old\n');
  });

  it('is the text before, when each hunk was taken back', () => {
    const text = fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '', 'c'), fc.constantFrom('\n', '\r\n')), {
        maxLength: 40,
      })
      .chain((lines) =>
        fc.constantFrom('', 'end').map((end) => lines.map(([a, b]) => a + b).join('') + end),
      );
    fc.assert(
      fc.property(text, text, (before, after) => {
        let now = after;
        for (let turn = 0; turn < 50 && now !== before; turn += 1) {
          now = withoutHunk(before, now, 0) ?? now;
        }
        expect(now).toBe(before);
      }),
    );
  });
});
