import { describe, expect, test } from 'vitest';
import {
  type Attachment,
  attachmentName,
  carriedWords,
  fromBlocks,
  toBlocks,
  withAttachments,
} from '../../../src/renderer/store/attachments';
import { PromptBlock } from '../../../src/shared/agent-event';
import { MAX_PROMPT_BLOCKS } from '../../../src/shared/contract';

const image = (bytes: number): Attachment => ({
  ...{ kind: 'image', name: 'a.png', mediaType: 'image/png' },
  data: 'A'.repeat(Math.ceil(bytes / 3) * 4),
});
const paste = (text: string): Attachment => ({ kind: 'paste', text });

test('attachments become blocks of the contract, and come back from them', () => {
  const list = [paste('a\n</pasted-text>\nb'), paste(''), image(9)];
  const blocks = toBlocks(list);
  for (const block of blocks) expect(PromptBlock.safeParse(block).success).toBe(true);
  expect(fromBlocks(blocks)).toEqual([list[0], list[1], { ...list[2], name: 'Image' }]);
  expect(fromBlocks([{ type: 'text', text: 'plain' }])).toEqual([paste('plain')]);
});

describe('limits', () => {
  test.each([
    ['one of each', [paste('x'), image(10)], true],
    [
      'as many as the contract takes',
      Array.from({ length: MAX_PROMPT_BLOCKS }, () => paste('x')),
      true,
    ],
    ['one too many', Array.from({ length: MAX_PROMPT_BLOCKS + 1 }, () => paste('x')), false],
    ['images too large together', [image(3e6), image(3e6)], false],
  ] as const)('%s', (_, added, ok) => expect(withAttachments([], added).ok).toBe(ok));
  test('count what is there already', () =>
    expect(withAttachments([image(3e6)], [image(3e6)]).ok).toBe(false));
});

test('names say kind and size', () => {
  expect(attachmentName(image(3000))).toBe('a.png, 3 kB');
  expect(attachmentName(paste('a\nb'))).toBe('Pasted text, 2 lines');
  expect(carriedWords(0, [])).toBe('');
  expect(carriedWords(2, [1, 30])).toBe('2 images, pasted text of 1 line, pasted text of 30 lines');
});
