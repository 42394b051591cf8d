import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { Markdown } from '../../../src/renderer/chat/Markdown';
import { Output } from '../../../src/renderer/tool-cards/CardFrame';
import { createByteMarkCutter, cutMarks, MAX_MARKS } from '../../../src/renderer/ui/combining';
import { VisibleText } from '../../../src/renderer/ui/VisibleText';

const MARK = '\u0301';
/** The most marks on one character. */
const tallest = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/\p{M}+/gu)].map(([run]) => [...run].length));

describe('cutMarks', () => {
  test.each([
    ['', ''],
    ['plain', 'plain'],
    [`e${MARK.repeat(MAX_MARKS)}x`, `e${MARK.repeat(MAX_MARKS)}x`],
    [`e${MARK.repeat(MAX_MARKS + 2)}x`, `e${MARK.repeat(MAX_MARKS)}⟨+2 marks⟩x`],
    [`e${MARK.repeat(20_000)}`, `e${MARK.repeat(MAX_MARKS)}⟨+19,984 marks⟩`],
    ['👨‍👩‍👧‍👦 नमस्ते ที่นี่ Z̤͔ͧ̑', '👨‍👩‍👧‍👦 नमस्ते ที่นี่ Z̤͔ͧ̑'],
  ])('%#', (text, shown) => expect(cutMarks(text)).toBe(shown));

  test('joiners and marks beyond the first plane do not hide a run', () => {
    expect(tallest(cutMarks(`a${'\u{1e8d0}'.repeat(500)}`))).toBe(MAX_MARKS);
    expect(cutMarks(`a${`${MARK}\u200d`.repeat(500)}`).length).toBeLessThan(50);
  });
});

describe('20 kB of marks', () => {
  const text = `e${MARK.repeat(20_000)} and on`;
  test.each([
    ['an answer', <Markdown key="m" text={text} done />],
    ['code that is being written', <Markdown key="c" text={`\`\`\`\n${text}`} done={false} />],
    ['output', <Output key="o" text={text} />],
    ['text that is decided on', <VisibleText key="v" text={text} />],
  ])('are cut and counted in %s', (_, element) => {
    const html = renderToStaticMarkup(element);
    expect(tallest(html)).toBe(MAX_MARKS);
    expect(html).toContain('⟨+19,984 marks⟩');
    expect(html).toContain('and on');
  });
});

describe('the output of a terminal', () => {
  const encoder = new TextEncoder();
  const through = (chunks: readonly Uint8Array[]): string => {
    const cut = createByteMarkCutter();
    const decoder = new TextDecoder();
    return chunks
      .map((c) => cut(c))
      .map((c) => (typeof c === 'string' ? c : decoder.decode(c)))
      .join('');
  };
  test('passes plain bytes through untouched', () => {
    const bytes = encoder.encode('ls -l\r\n\u001b[1m');
    expect(createByteMarkCutter()(bytes)).toBe(bytes);
  });
  test.each([1, 2, 3, 7, 4096])('is cut whatever the chunks, here of %i bytes', (size) => {
    const bytes = encoder.encode(`é a${MARK.repeat(3000)}b 👍🏽\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.slice(n * size, (n + 1) * size),
    );
    expect(through(chunks)).toBe(`é a${MARK.repeat(MAX_MARKS)}⟨+2,984 marks⟩b 👍🏽\n`);
  });
});
