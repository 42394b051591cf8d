import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  createPartList,
  drawnWhileWriting,
  FIRST_GROUP_CHARS,
  lexBlocks,
  type MarkdownBlocks,
  NO_BLOCKS,
  needsGfm,
  openFence,
} from '../../../src/renderer/chat/markdown-blocks';
import { LONG_ANSWER } from '../../support/gallery/prose';

const all = (b: MarkdownBlocks) => [...b.groups.flat(), ...b.open, ...b.tail];
const streamed = (text: string, step: number): MarkdownBlocks => {
  let blocks = NO_BLOCKS;
  for (let end = 0; end < text.length + step; end += step)
    blocks = advance(blocks, text.slice(0, end));
  return blocks;
};

describe('lexBlocks', () => {
  it.each([
    ['crlf', 'a\r\n\r\n- b\r\n- c\r\n\r\n```\r\nx\r\n```\r\nd'],
    ['tabs', '\ta\n\n-\tb\n\t- c\n\nd'],
    ['leading blank lines', '\n\n\na\n\nb'],
    ['lone carriage returns', 'a\rb\r\rc'],
    ['nothing', ''],
    ['everything', LONG_ANSWER],
  ])('joined blocks are the text: %s', (_, text) => expect(lexBlocks(text).join('')).toBe(text));
});

describe('advance', () => {
  it.each([1, 7, 64, 1000])(
    'streaming %d characters at a time gives the blocks of the whole',
    (step) => {
      expect(all(streamed(LONG_ANSWER, step))).toEqual(lexBlocks(LONG_ANSWER));
    },
  );

  it('never loses or changes a character', () => {
    const piece = fc.constantFrom(
      'word ',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '```ts\n',
      '```\n',
      '| a | b |\n',
      '| - | - |\n',
      '> ',
      '# ',
      '    ',
      '\t',
      '---\n',
      '===\n',
      '<b>',
      '[x]: http://a\n',
      '\r\n',
      '*',
      '`',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        let blocks = NO_BLOCKS;
        let text = '';
        for (const next of pieces) {
          text += next;
          blocks = advance(blocks, text);
          expect(all(blocks).join('')).toBe(text);
        }
      }),
    );
  });

  it('keeps frozen groups as they are while the text grows', () => {
    const paragraph = (i: number) => `Paragraph ${i}.\n\n`;
    const text = Array.from({ length: 600 }, (_, i) => paragraph(i)).join('');
    const before = advance(NO_BLOCKS, text);
    expect(before.groups.length).toBeGreaterThan(8);
    const after = advance(before, text + paragraph(200));
    for (const [i, group] of before.groups.entries()) expect(after.groups[i]).toBe(group);
    expect(advance(after, after.source)).toBe(after);
  });

  it('starts over when the text is another one', () => {
    const before = advance(NO_BLOCKS, 'a\n\nb\n\nc\n\nd');
    expect(all(advance(before, 'x\n\ny\n\nz'))).toEqual(lexBlocks('x\n\ny\n\nz'));
  });
});

it('finds link definitions for all blocks', () => {
  const blocks = advance(NO_BLOCKS, 'See [docs][1].\n\n[1]: https://docs.example\n\n[^n]: note\n');
  expect(blocks.definitions).toBe('[1]: https://docs.example');
  const more = `${'Text.\n\n'.repeat(60)}[2]: https://b.example\n`;
  expect(advance(blocks, blocks.source + more).definitions).toBe(
    '[1]: https://docs.example\n[2]: https://b.example',
  );
});

describe('createPartList', () => {
  const paragraph = (i: number) => `Paragraph ${i} ${'and so on '.repeat(40)}\n\n`;

  it('cuts a long text into parts of a few screens, which joined are the text', () => {
    const text = Array.from({ length: 100 }, (_, i) => paragraph(i)).join('');
    const parts = createPartList()(text, true);
    expect(parts.flatMap(({ blocks }) => blocks).join('')).toBe(text);
    for (const { blocks } of parts) expect(blocks.join('').length).toBeLessThan(4500);
    expect(parts.map(({ first }) => first).indexOf(true, 1)).toBe(-1);
    expect(parts.findIndex(({ last }) => last)).toBe(parts.length - 1);
  });

  it('changes only the last parts while the text grows', () => {
    const list = createPartList();
    let text = '';
    let before = list(text, false);
    for (let i = 0; i < 100; i += 1) {
      text += paragraph(i);
      const after = list(text, false);
      const changed = after.filter((part, at) => part !== before[at]);
      expect(changed.length).toBeLessThan(4);
      before = after;
    }
    const done = list(text, true);
    expect(done.filter((part, at) => part !== before[at])).toEqual([done.at(-1)]);
    expect(list(text, true)).toEqual(done);
  });

  it('keeps what is drawn in its part while the text grows, from the first word on', () => {
    const list = createPartList();
    let text = '';
    let before = list(text, false);
    for (let i = 0; i < 600; i += 1) {
      text += `Short ${i}\n\n`;
      const after = list(text, false);
      for (const [at, { blocks }] of before.entries()) {
        const kept = at === before.length - 1 ? blocks.slice(0, -2) : blocks;
        expect(after[at]?.blocks.slice(0, kept.length)).toEqual(kept);
      }
      if (text.length <= FIRST_GROUP_CHARS) expect(after).toHaveLength(1);
      before = after;
    }
    expect(before.length).toBeGreaterThan(1);
    expect(createPartList()(text, true).map(({ blocks }) => blocks)).toEqual(
      list(text, true).map(({ blocks }) => blocks),
    );
  });

  it('gives a definition that comes late to every part', () => {
    const list = createPartList();
    const text = Array.from({ length: 30 }, (_, i) => paragraph(i)).join('');
    list(text, false);
    for (const { definitions } of list(`${text}[a]: https://a.example\n`, true))
      expect(definitions).toBe('[a]: https://a.example');
  });
});

it('draws a long block that grows a bounded number of times', () => {
  const whole = '- an item of a long list\n'.repeat(2000);
  let drawn = '';
  let characters = 0;
  for (let end = 0; end <= whole.length; end += 20) {
    const next = drawnWhileWriting(drawn, whole.slice(0, end));
    if (next !== drawn) characters += next.length;
    drawn = next;
    expect(end - drawn.length).toBeLessThanOrEqual(Math.max(20, end / 8));
  }
  // Every delta drawn would be a thousand times the text.
  expect(characters).toBeLessThan(whole.length * 30);
  expect(drawnWhileWriting(whole, 'another')).toBe('another');
});

it.each([
  ['```ts\nconst a', { language: 'ts', code: 'const a' }],
  ['```\n', { language: '', code: '' }],
  ['~~~~py\nx\n~~~\n', { language: 'py', code: 'x\n~~~\n' }],
  ['```ts\na\n```', null],
  ['```ts\na\n````\n\n', null],
  ['text', null],
  ['```ts', null],
])('open fence %j', (block, expected) => expect(openFence(block)).toEqual(expected));

describe('needsGfm', () => {
  it.each([
    '| a |\n| - |\n| b |',
    'a ~~b~~ c',
    '- [x] done',
    '- [ ] to do',
    'a note[^1]',
    'see https://a.example',
    'see www.a.example',
    'mail me@a.example',
    '[unfinished](https://a.example',
    '[broken](https://a.example/x y)',
  ])('%j', (block) => expect(needsGfm(block)).toBe(true));

  it.each([
    'Plain **prose** with `code`, a [link](https://a.example/b?c=d) and $a_1$.',
    '- one\n- two\n\n1. [d][1]',
    '> # a\n> b',
  ])('not %j', (block) => expect(needsGfm(block)).toBe(false));
});
