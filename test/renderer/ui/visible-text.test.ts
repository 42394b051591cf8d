import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hidesSomething,
  markRanges,
  visibleText,
  withLooks,
} from '../../../src/renderer/ui/visible-text';

/** Marks in ⟨⟩, text as it is. */
const drawn = (text: string, padding = false) =>
  visibleText(text, { padding })
    .map((s) => (s.kind === 'text' ? s.text : `⟨${s.label}⟩`))
    .join('');

describe('THREATS 12: nothing in a text hides', () => {
  it.each([
    ['plain', 'npm test && ls\n\tx', 'npm test && ls\n\tx'],
    ['empty', '', ''],
    ['right-to-left override', 'a\u202eb', 'a⟨U+202E⟩b'],
    ['bidi isolates', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['zero-width space', 'rm\u200b -rf', 'rm⟨U+200B⟩ -rf'],
    ['byte order mark', '\ufeffls', '⟨U+FEFF⟩ls'],
    ['soft hyphen', 'a\u00adb', 'a⟨U+00AD⟩b'],
    ['no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['ideographic space', 'a\u3000b', 'a⟨U+3000⟩b'],
    ['Hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['braille blank', 'a\u2800b', 'a⟨U+2800⟩b'],
    ['line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
    ['escape sequence', '\u001b[2K', '⟨ESC⟩[2K'],
    ['carriage return', 'safe\rrm', 'safe⟨CR⟩rm'],
    ['null', 'a\0b', 'a⟨NUL⟩b'],
    ['delete', 'a\u007fb', 'a⟨DEL⟩b'],
    ['C1 control', 'a\u009bb', 'a⟨U+009B⟩b'],
    ['private use', 'a\ue000b', 'a⟨U+E000⟩b'],
    ['lone surrogate', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['tag characters', 'x\u{e0072}\u{e006d}', 'x⟨U+E0072⟩⟨U+E006D⟩'],
    ['a run of one kind', 'a\u200b\u200b\u200bb', 'a⟨U+200B ×3⟩b'],
    ['blank letters', 'a\u{13441}\u{13442}b', 'a⟨U+13441⟩⟨U+13442⟩b'],
    ['a blank mark', 'a\u{16fe4}b', 'a⟨U+16FE4⟩b'],
    ['a blank symbol', 'a\u{1d159}b', 'a⟨U+1D159⟩b'],
    ['no character', 'a\ufdd0\u{1ffff}b', 'a⟨U+FDD0⟩⟨U+1FFFF⟩b'],
    ['hieroglyphs and notes show', '\u{13000}\u{13443}\u{1d15e}', '\u{13000}\u{13443}\u{1d15e}'],
    ['variation selector on a letter', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['emoji with selector', '⚠️ ok', '⚠️ ok'],
    ['family emoji with joiners', '👨‍👩‍👧 ok', '👨‍👩‍👧 ok'],
    ['joiner outside an emoji', 'a\u200db', 'a⟨U+200D⟩b'],
    ['an emoji hides nothing behind it', '👧\u200d\u200d', '👧⟨U+200D ×2⟩'],
    ['other scripts show', 'привет שלום 日本', 'привет שלום 日本'],
  ])('%s', (_, text, expected) => expect(drawn(text)).toBe(expected));

  it('draws a few of a long mixed run and counts the rest', () => {
    const run = '\u200b\u200c'.repeat(500);
    expect(drawn(`a${run}b`)).toMatch(/^a(⟨U\+200[BC]⟩){8}⟨992 more hidden⟩b$/);
  });

  it('THREATS 12: turns padding into marks, and leaves indentation alone', () => {
    expect(drawn(`a${' '.repeat(300)}; rm`, true)).toBe('a⟨300 spaces⟩; rm');
    expect(drawn(`a${'\n'.repeat(80)}rm`, true)).toBe('a⟨79 empty lines⟩\nrm');
    expect(drawn(`a\n${' \t\n'.repeat(40)}rm`, true)).toBe('a⟨40 empty lines⟩\nrm');
    expect(drawn(`a\n\n${' '.repeat(20)}b`, true)).toBe(`a\n\n${' '.repeat(20)}b`);
    expect(drawn(`a${' '.repeat(300)}b`)).toBe(`a${' '.repeat(300)}b`);
  });

  it('names what it draws', () => {
    const [, mark] = visibleText('a\u202e');
    expect(mark).toMatchObject({ name: 'right-to-left override (U+202E)', start: 1, end: 2 });
    expect(hidesSomething('a\u202e')).toBe(true);
    expect(hidesSomething('a')).toBe(false);
  });

  it('covers any text without gaps', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.boolean(), (text, padding) => {
        let at = 0;
        for (const segment of visibleText(text, { padding })) {
          expect(segment.start).toBe(at);
          expect(segment.end).toBeGreaterThan(at);
          if (segment.kind === 'text') expect(segment.text).toBe(text.slice(at, segment.end));
          at = segment.end;
        }
        expect(at).toBe(text.length);
      }),
    );
  });
});

describe('markRanges', () => {
  const pieces = (text: string, ...ranges: [number, number][]) =>
    markRanges(
      visibleText(text),
      ranges.map(([start, end]) => ({ start, end })),
    ).map((s) => `${s.marked ? '!' : ''}${s.kind === 'text' ? s.text : s.label}`);

  it.each<[string, string, [number, number][], string[]]>([
    ['nothing asked', 'abc', [], ['abc']],
    ['the middle', 'abcde', [[1, 3]], ['a', '!bc', 'de']],
    [
      'touching ranges',
      'abcd',
      [
        [0, 2],
        [2, 3],
      ],
      ['!ab', '!c', 'd'],
    ],
    [
      'overlapping ranges',
      'abcd',
      [
        [0, 3],
        [1, 4],
      ],
      ['!a', '!bc', '!d'],
    ],
    ['a mark inside', 'a\u200bb', [[0, 2]], ['!a', '!U+200B', 'b']],
    ['past the end', 'ab', [[1, 99]], ['a', '!b']],
  ])('%s', (_, text, ranges, expected) => expect(pieces(text, ...ranges)).toEqual(expected));
});

describe('withLooks', () => {
  const look = (text: string, color: string) => ({ text, color, italic: false, bold: false });
  const shown = (text: string, looks: readonly ReturnType<typeof look>[]) =>
    withLooks(markRanges(visibleText(text), [{ start: 2, end: 4 }]), looks).map((piece) => [
      piece.kind === 'text' ? piece.text : piece.label,
      piece.look?.color,
    ]);

  it('cuts at looks, ranges and hidden characters, and loses nothing', () =>
    expect(shown('abcdef\u200bgh', [look('abc', 'red'), look('def\u200bg', 'blue')])).toEqual([
      ['ab', 'red'],
      ['cd', undefined],
      ['ef', 'blue'],
      ['U+200B', undefined],
      ['g', 'blue'],
      ['h', undefined],
    ]));

  it('leaves a text without looks as it is', () =>
    expect(shown('abc', [])).toEqual([
      ['ab', undefined],
      ['c', undefined],
    ]));

  it.each(['', 'a', 'a\tb', '\u202eabc'])('keeps every character of %j', (text) => {
    const pieces = withLooks(markRanges(visibleText(text), []), [look('', 'x'), look('a', 'y')]);
    expect(pieces.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });
});
