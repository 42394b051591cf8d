import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { VisiblePath } from '../../../src/renderer/ui/VisibleText';

test('a path breaks behind its separators, and reads as it is', () => {
  const shown = renderToStaticMarkup(<VisiblePath text={'~/projects\u200b/harbour.ts'} />);
  const plain = shown.replaceAll('<wbr/>', '|').replace(/<[^>]+>/g, '');
  expect(shown).toMatch(/^<span>.*<\/span>$/);
  expect(plain).toBe('~/|projectsU+200B/|harbour.ts');
});
