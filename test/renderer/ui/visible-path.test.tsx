import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import {
  PlainName,
  VisiblePath,
  VisibleProse,
  VisibleText,
} from '../../../src/renderer/ui/VisibleText';

test('a path breaks behind its separators, and reads as it is', () => {
  const shown = renderToStaticMarkup(<VisiblePath text={'~/projects\u200b/harbour.ts'} />);
  const plain = shown.replaceAll('<wbr/>', '|').replace(/<[^>]+>/g, '');
  expect(shown).toMatch(/^<span>.*<\/span>$/);
  expect(plain).toBe('~/|projectsU+200B/|harbour.ts');
});

test.each([
  ['שלום, world', />שלום, world<\/bdi>$/],
  ['a\u202eb', /^<bdi[^>]*><bdo dir="ltr">.*U\+202E/],
  // Persian needs the mark that joins nothing, and Hebrew the mark of its direction.
  ['می\u200cخواهید', /^<bdi[^>]*><span[^>]*>می<.*U\+200C/],
  ['שלום\u200f.', /^<bdi[^>]*><span[^>]*>שלום<.*U\+200F/],
])('prose reads as its script does unless something hides in it: %j', (text, shown) => {
  expect(renderToStaticMarkup(<VisibleProse text={text} />)).toMatch(shown);
  expect(renderToStaticMarkup(<VisibleText text={text} />)).toContain('<bdo dir="ltr">');
});

test('marks above marks are cut in prose and names', () => {
  const pile = `a${'\u0301'.repeat(5_000)}`;
  for (const shown of [<VisibleProse text={pile} />, <PlainName text={pile} />])
    expect(renderToStaticMarkup(shown).length).toBeLessThan(500);
});
