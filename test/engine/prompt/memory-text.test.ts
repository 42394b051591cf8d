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
        const unread = /<!--[\s\S]*?-->|(`+)[^`][\s\S]*?\1/g;
        const kept = plainly(text, unread, (part) => (part.startsWith('<') ? '' : part));
        expect(withoutComments(text)).toBe(kept);
        const prose = plainly(text, unread, (part) => ' '.repeat(part.length));
        const paths = [...prose.matchAll(/(?<=^|[\s(])@([^\s)]+)/g)]
          .map(([, path = '']) => path.replace(/[.,;:!?]+$/, ''))
          .filter((path) => path !== '');
        expect([...importsOf(text).keys()]).toEqual([...new Set(paths)]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['<!--\nold:\n```sh\nrun\n```\n@in.md\n-->\n@after.md', ['after.md'], '\n@after.md'],
    ['<!--\nhidden ```\n~~~\nmore\n-->\n@after.md', ['after.md'], '\n@after.md'],
    ['```\n<!--\n```\n@after.md <!-- x -->', ['after.md'], '```\n<!--\n```\n@after.md '],
    ['``` not`a fence ```\n@after.md', ['after.md'], null],
    ['one ` mark\n\n@between.md\n\nand ` another', ['between.md'], null],
    ['- one ` mark\n- @between.md and ` another', ['between.md'], null],
    ['# one ` mark\n@between.md and ` another', ['between.md'], null],
    ['a ` mark\n<!-- @in.md ` -->\n@after.md', ['after.md'], 'a ` mark\n\n@after.md'],
    ['`<!--` begins a comment, `-->` ends it: @after.md', ['after.md'], null],
    ['<!-- without an end\n@after.md', ['after.md'], null],
    ['1. Run\n\n    ```sh\n    @in.md\n\n    @in.md\n    ```\n\n2. @after.md', ['after.md'], null],
    ['> ```\n> @in.md\n> ```\n> @after.md', ['after.md'], null],
    ['- ```\n  @in.md\n  ```\n- @after.md', ['after.md'], null],
    ['    ``` no end\n@after.md', ['after.md'], null],
    ['``` no end\n\n@in.md', [], null],
    ['~~~\n```\n@in.md\n~~~ x\n@in.md\n~~~\n@after.md', ['after.md'], null],
    ['a <!-- x -->\r\n```\r\n@in.md\r\n```\r\n@after.md', ['after.md'], null],
  ])('%j is read as Markdown', (text, imports, kept) => {
    expect([...importsOf(text).keys()]).toEqual(imports);
    expect(withoutComments(text)).toBe(kept ?? text.replace('<!-- x -->', ''));
  });

  // For each of these signs the rest of the text was searched again, which took longer than a test may.
  test.each([
    ['comments', '<!-- '],
    ['code spans', '` `` ``` `` '],
    ['one run', '`'],
    ['comments of paragraphs', '\n\n<!-- '],
    ['fences', '\n> ``` a\n\n'],
    ['stops', '@a.'],
    ['a path of stops', '.'],
  ])('%s without an end are looked at once', (_, sign) => {
    const text = `@first.md @a${sign.repeat(600_000 / sign.length)}b\n@last.md`;
    expect(importsOf(text).has('first.md')).toBe(true);
    expect(importsOf(text).has('last.md')).toBe(true);
    expect(withoutComments(text)).toBe(text);
  });
});
