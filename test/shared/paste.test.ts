import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongPaste, pastedLines, pastedText } from '../../src/shared/paste';

describe('a pasted text', () => {
  it.each<[string, string, boolean]>([
    ['a short line', 'cd src', false],
    ['a thousand characters', 'x'.repeat(1_000), false],
    ['more characters', 'x'.repeat(1_001), true],
    ['twelve lines', Array(12).fill('x').join('\n'), false],
    ['more lines', Array(13).fill('x').join('\n'), true],
  ])('%s becomes a chip: %s', (_, text, expected) => {
    expect(isLongPaste(text)).toBe(expected);
  });

  it('is known again with its lines, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '<', '</pasted-text>', '"') }),
        (text) => {
          expect(pastedLines(pastedText(text))).toBe(text.split('\n').length);
        },
      ),
    );
  });

  it.each([
    '',
    'pasted',
    '<pasted-text lines="2">\nhalf',
    'before <pasted-text lines="1">\nx\n</pasted-text>',
  ])('is not seen in %j', (text) => {
    expect(pastedLines(text)).toBeNull();
  });
});
