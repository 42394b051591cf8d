import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastLineOf, plainText } from '../../../src/main/engine/tasks/output-reader';

describe('plainText', () => {
  it.each([
    ['plain', 'a\tb ✓ 漢字\n', 'a\tb ✓ 漢字\n'],
    ['colours', '\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m', 'red x'],
    ['line ends of a terminal', 'one\r\ntwo\r\r\nthree', 'one\ntwo\nthree'],
    ['a progress bar', ' 10%\r 50%\r100% done\n', '100% done\n'],
    ['a shorter text over a longer one', 'abcdef\rxy', 'xycdef'],
    ['erasing the rest of the line', 'abcdef\rxy\x1b[K', 'xy'],
    ['erasing the whole line', 'Downloading…\r\x1b[2KDone', 'Done'],
    ['erasing up to the cursor', 'abc\x1b[1K!', '   !'],
    ['backspaces', 'abx\b\bxy', 'axy'],
    ['backspace at the beginning', '\b\bab', 'ab'],
    ['moving the cursor', 'ab\x1b[3Cc\x1b[2Gx\x1b[1Dy', 'ay   c'],
    ['a title', '\x1b]0;my title with spaces\x07text', 'text'],
    ['a link', '\x1b]8;;https://x.example\x1b\\name\x1b]8;;\x1b\\', 'name'],
    ['device control and keypad modes', '\x1bP1$r\x1b\\\x1b=\x1b>\x1b(Btext\x1b7', 'text'],
    ['a bell and other controls', 'a\x07b\x00c\x7fd', 'abcd'],
    ['a sequence cut short', 'text\x1b[3', 'text'],
    ['a title that never ends keeps to its line', '\x1b]0;never\nnext', '\nnext'],
  ])('%s', (_, raw, expected) => {
    expect(plainText(raw)).toBe(expected);
  });

  it('is not led into using memory by absurd movements', () => {
    expect(plainText(`\x1b[2147483647Cx\x1b[999999999Gy`).length).toBeLessThan(3000);
  });

  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '\b',
      '\t',
      '\x1b[K',
      '\x1b[2K',
      '\x1b[31m',
      '\x1b[5C',
      '\x1b]0;t\x07',
      '\x1b',
      '\x1b[',
    ),
  );
  const raw = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

  it('leaves nothing a terminal would act on, and changes plain text no further', () => {
    fc.assert(
      fc.property(raw, (text) => {
        const plain = plainText(text);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be gone
        expect(plain).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(plainText(plain)).toBe(plain);
      }),
    );
  });

  it('is the same whether a line ends as terminals end it or with one more return', () => {
    fc.assert(
      fc.property(raw, (text) => {
        const lines = text.replaceAll(/[\r\n]/g, '');
        expect(plainText(`${lines}\r`)).toBe(plainText(`${lines}\r\r`));
      }),
    );
  });

  it('can be done in pieces cut at line ends', () => {
    fc.assert(
      fc.property(raw, raw, (a, b) => {
        expect(`${plainText(a)}\n${plainText(b)}`).toBe(plainText(`${a}\n${b}`));
      }),
    );
  });
});

describe('lastLineOf', () => {
  it.each([
    ['', ''],
    ['one\ntwo\n\n', 'two'],
    ['  indented  ', 'indented'],
    ['x'.repeat(300), `${'x'.repeat(200)}…`],
    ['{\n  "error": "no such file"\n}\n', '"error": "no such file"'],
    ['done\n  });\n]\n', 'done'],
    ['4 failed\n=====\n', '4 failed'],
    ['}\n)\n', ')'],
    ['asks\n>>> ', '>>>'],
  ])('%j', (text, expected) => {
    expect(lastLineOf(text)).toBe(expected);
  });
});
