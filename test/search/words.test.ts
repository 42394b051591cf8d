import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasTerms, parseSearch, snippetOf, wordsOf } from '../../src/main/search/words';

const finds = (search: string, text: string): boolean => {
  const terms = parseSearch(search);
  return terms !== null && hasTerms(wordsOf(text), terms);
};

describe('a search', () => {
  it.each([
    ['fix login', 'Login: please FIX it', true],
    ['fix login', 'fix the logout', false],
    ['log', 'Logging', true],
    ['log ', 'Logging', false],
    ['log* fix', 'fix logging', true],
    ['log fix', 'fix logging', false],
    ['"fix login"', 'please fix login', true],
    ['"fix login"', 'fix the login', false],
    ['"fix log', 'fix logging', false],
    ['Größe', 'die GROSSE', false],
    ['grosse', 'Große', false],
    ['groß', 'GROẞE', true],
    ['cafe', 'Café au lait', true],
    ['naïve', 'NAIVE', true],
    ['ΟΔΟΣ', 'η οδός', true],
    ['istanbul', 'İSTANBUL', true],
    ['漢字', '使用漢字的文章', true],
    ['字漢', '使用漢字的文章', false],
    ['ファイル', 'このファイルを開く', true],
    ['한국', '한국어 문서', true],
    ['parse_line', 'const parse_line = 1', true],
    ['src/main', 'in src/main/index.ts', true],
    ["it's", 'it’s fine', true],
    ['ﬁle', 'a file', true],
  ])('%j in %j: %s', (search, text, found) => expect(finds(search, text)).toBe(found));

  it.each(['', '  ', '"', '""', '*', '-- "', '…', '😀'])(
    'without a word in it (%j) is none',
    (text) => expect(parseSearch(text)).toBeNull(),
  );

  it('of a text itself finds the text, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const terms = parseSearch(text.replaceAll('"', ' '));
        expect(terms === null || hasTerms(wordsOf(text), terms)).toBe(true);
      }),
    );
  });
});

describe('a snippet', () => {
  const shown = (search: string, text: string) =>
    snippetOf(text, parseSearch(search) ?? [])
      .map((part) => (part.found ? `[${part.text}]` : part.text))
      .join('');

  it.each([
    ['login', 'please fix the login now', 'please fix the [login] now'],
    ['log', 'a\n\n  Logging\tb', 'a [Logging] b'],
    ['"fix it"', 'fix it', '[fix] [it]'],
    ['end', `${'word '.repeat(40)}end`, '… word word word word word word [end]'],
    ['end', `${'word '.repeat(90_000)}end`, '… word word word word word word [end]'],
    ['ende', `${'-'.repeat(7_997)}ender and the ende`, '… [ender] and the [ende]'],
    ['"ende"', `${'-'.repeat(7_996)}ender and the ende`, '… ender and the [ende]'],
  ])('of %j in %j', (search, text, expected) => {
    expect(shown(search, text)).toBe(expected);
  });

  it('ends between words', () =>
    expect(shown('a ', `a ${'long '.repeat(60)}`)).toMatch(/^\[a\] (?:long )+long …$/));

  it('is short, however long the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (text) => {
        expect(shown('needle', `${text} needle ${text}`)).toContain('[needle]');
        expect(shown('needle', `${text} needle ${text}`).length).toBeLessThan(400);
      }),
    );
  });
});
