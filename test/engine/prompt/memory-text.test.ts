import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importsOf, withoutComments } from '../../../src/main/engine/prompt/memory-text';

/** Signs that begin, end or nearly end what is left out. */
const texts = fc
  .array(
    fc.constantFrom(
      '<!--',
      '-->',
      '--',
      '>',
      '<!-',
      '`',
      '``',
      '```',
      'a',
      ' ',
      ' @x.md ',
      '@y',
      '.',
    ),
    { maxLength: 30 },
  )
  .map((parts) => `p ${parts.join('')}`);

/** The same in one expression, which searches the rest of the text again for each that does not end. */
const plainly = (text: string, unread: RegExp, change: (part: string) => string) =>
  text.replace(unread, change);

describe('what a memory file says to people and shows as code', () => {
  test('is left out as by the plainest reading, in any text of one line', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(withoutComments(text)).toBe(plainly(text, /<!--[\s\S]*?-->/g, () => ''));
        const prose = plainly(text, /<!--[\s\S]*?-->|(`+)[^`][\s\S]*?\1/g, (part) =>
          ' '.repeat(part.length),
        );
        const paths = [...prose.matchAll(/(?<=^|[\s(])@([^\s)]+)/g)]
          .map(([, path = '']) => path.replace(/[.,;:!?]+$/, ''))
          .filter((path) => path !== '');
        expect([...importsOf(text).keys()]).toEqual([...new Set(paths)]);
      }),
      { numRuns: 2_000 },
    );
  });

  // For each of these signs the rest of the text was searched again, which took longer than a test may.
  test.each([
    ['comments', '<!-- '],
    ['code spans', '` `` ``` `` '],
    ['one run', '`'],
    ['stops', '@a.'],
    ['a path of stops', '.'],
  ])('%s without an end are looked at once', (_, sign) => {
    const text = `@first.md @a${sign.repeat(600_000 / sign.length)}b\n@last.md`;
    expect(importsOf(text).has('first.md')).toBe(true);
    expect(importsOf(text).has('last.md')).toBe(true);
    expect(withoutComments(text)).toBe(text);
  });
});
