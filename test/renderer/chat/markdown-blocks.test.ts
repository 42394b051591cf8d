import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  definitionsIn,
  GROUP_SIZE,
  lexBlocks,
  type MarkdownBlocks,
  NO_BLOCKS,
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
    const text = Array.from({ length: 200 }, (_, i) => paragraph(i)).join('');
    const before = advance(NO_BLOCKS, text);
    expect(before.groups.length).toBe(Math.floor(198 / GROUP_SIZE));
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
  expect(definitionsIn(blocks)).toBe('[1]: https://docs.example');
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
