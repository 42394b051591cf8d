import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from '../../../src/renderer/chat/Markdown';
import { lexBlocks } from '../../../src/renderer/chat/markdown-blocks';
import { isTangled } from '../../../src/renderer/chat/tangled';
import { LONG_ANSWER } from '../../support/gallery/prose';

/** Left alone, these take the page tens of seconds, or the whole window down. */
const TANGLED: readonly (readonly [string, string])[] = [
  ['quotes in quotes', `${'> '.repeat(5_000)}x`],
  ['lists in lists', `${'- '.repeat(5_000)}x`],
  ['lists and quotes in one another', `${'1. > * '.repeat(2_000)}x`],
  ['lists that go in', Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n')],
  ['links that never end', '[a]('.repeat(10_000)],
  ['links that never end, on lines of their own', '[a](\n'.repeat(10_000)],
  ['emphasis in emphasis', `${'*a '.repeat(5_000)}${'a* '.repeat(5_000)}`],
  ['images in images', `${'!['.repeat(3_000)}a${'](b)'.repeat(3_000)}`],
  ['tags that never end', '<a '.repeat(10_000)],
  ['a list of ten thousand items', '- a `b`\n'.repeat(10_000)],
  ['a table of thousands of rows', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(5_000)}`],
];

describe('Markdown that is a tangle', () => {
  it.each(TANGLED)('shows as the text it is: %s', (_, text) => {
    expect(lexBlocks(text).join('')).toBe(text);
    const out = renderToStaticMarkup(<Markdown text={text} done />);
    expect(out).toContain('whitespace-pre-wrap');
    expect(out).toContain('[font-variant-ligatures:none]');
    const shown = out
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    expect(shown).toBe(text);
  });

  it.each([
    ['an answer of everything', LONG_ANSWER],
    ['a list of links', '- [a](https://a.example/b_c) and `d`\n'.repeat(3_000)],
    [
      'code in a list',
      `1. Like this:\n\n   \`\`\`ts\n${'   a[0] = b * `c_d`;\n'.repeat(1_000)}   \`\`\`\n`,
    ],
    ['a table of two hundred rows', `|a|b|c|\n|-|-|-|\n${'|x|`y`|z|\n'.repeat(200)}`],
    ['twenty levels', Array.from({ length: 20 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n')],
  ])('but not: %s', (_, text) => {
    for (const block of lexBlocks(text)) expect(isTangled(block)).toBe(false);
  });
});
