import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { VisiblePath, VisibleProse, VisibleText } from '../../../src/renderer/ui/VisibleText';

test('a path breaks behind its separators, and reads as it is', () => {
  const shown = renderToStaticMarkup(<VisiblePath text={'~/projects\u200b/harbour.ts'} />);
  const plain = shown.replaceAll('<wbr/>', '|').replace(/<[^>]+>/g, '');
  expect(shown).toMatch(/^<span>.*<\/span>$/);
  expect(plain).toBe('~/|projectsU+200B/|harbour.ts');
});

test.each([
  ['שלום, world', '<bdi>שלום, world</bdi>'],
  ['a\u202eb', /^<bdi><bdo dir="ltr">.*U\+202E/],
])('prose reads as its script does unless something hides in it: %j', (text, shown) => {
  expect(renderToStaticMarkup(<VisibleProse text={text} />)).toMatch(shown);
  expect(renderToStaticMarkup(<VisibleText text={text} />)).toContain('<bdo dir="ltr">');
});
