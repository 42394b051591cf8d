import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongPaste, pastedBody, pastedText, readPasted } from '../../src/shared/paste';

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
          const lines = text.split('\n').length;
          expect(readPasted(pastedText(text))).toEqual({ lines, body: text });
        },
      ),
    );
  });

  it('of a file has its name and its own lines, whatever either holds', () => {
    const unit = fc.constantFrom('a', '\n', '&', 'amp;', '#10;', '"', '>', '</pasted-text>');
    fc.assert(
      fc.property(fc.string({ unit }), fc.string({ unit }), (text, file) => {
        const lines = text.replace(/\n$/, '').split('\n').length;
        expect(readPasted(pastedText(text, file))).toEqual({ lines, file, body: text });
      }),
    );
    expect(pastedText('high\n', 'tide.txt')).toMatch(/^<pasted-text lines="1" file="tide.txt">/);
    expect(pastedBody(pastedText('high\n', 'tide.txt'))).toBe('tide.txt:\n\nhigh\n');
  });

  it.each([
    '',
    'pasted',
    '<pasted-text lines="2">\nhalf',
    'before <pasted-text lines="1">\nx\n</pasted-text>',
  ])('is not seen in %j', (text) => {
    expect(readPasted(text)).toBeNull();
  });
});
