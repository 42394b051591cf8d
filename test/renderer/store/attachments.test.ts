import { describe, expect, test } from 'vitest';
import {
  attachmentName,
  carriedWords,
  fromBlocks,
  type PromptAttachment,
  readAttachment,
  toBlocks,
  withAttachments,
} from '../../../src/renderer/store/attachments';
import { MAX_PROMPT_BLOCKS } from '../../../src/shared/contract-inputs';
import { PromptBlock } from '../../../src/shared/queued-prompt';

const image = (bytes: number): PromptAttachment => ({
  ...{ kind: 'image', name: 'a.png', mediaType: 'image/png' },
  data: 'A'.repeat(Math.ceil(bytes / 3) * 4),
});
const paste = (text: string): PromptAttachment => ({ kind: 'paste', text });

test('attachments become blocks of the contract, and come back from them', () => {
  const list = [paste('a\n</pasted-text>\nb'), paste(''), image(9)];
  const blocks = toBlocks(list);
  for (const block of blocks) expect(PromptBlock.safeParse(block).success).toBe(true);
  expect(fromBlocks(blocks)).toEqual([list[0], list[1], { ...list[2], name: 'Image' }]);
  expect(fromBlocks([{ type: 'text', text: 'plain' }])).toEqual([paste('plain')]);
  const file = { ...paste('high\n'), name: 'tide.txt' };
  expect(fromBlocks(toBlocks([file]))).toEqual([file]);
});

test('a text file goes along as a text under its name; what is neither text nor image is refused', async () => {
  const read = (bytes: string | Uint8Array<ArrayBuffer>, name: string, type = '') =>
    readAttachment(new File([bytes], name, { type }));
  expect(await read('high\n', 'tide.txt', 'text/plain')).toEqual({
    ok: true,
    value: { ...paste('high\n'), name: 'tide.txt' },
  });
  expect(await read('äöü', 'Makefile')).toMatchObject({ ok: true });
  for (const [bytes, name, type] of [
    [new Uint8Array([0, 1, 2]), 'a.bin', ''],
    [new Uint8Array([0xff, 0xfe]), 'b.bin', 'application/x'],
    ['<svg/>', 'c.svg', 'image/svg+xml'],
    ['x'.repeat(500_000), 'd.txt', 'text/plain'],
    ['no image', 'e.png', 'image/png'],
    ['', 'f.png', 'image/png'],
  ] as const)
    expect(await read(bytes, name, type)).toMatchObject({ error: { code: 'bad_image' } });
});

test.each(['docs', 'docs.png'])(
  'a folder, which cannot be read, is told as such: %s',
  async (name) => {
    const folder = new File([], name, { type: name.endsWith('.png') ? 'image/png' : '' });
    const refuse = () => Promise.reject(new DOMException('gone', 'NotFoundError'));
    Object.assign(folder, { text: refuse, slice: () => ({ arrayBuffer: refuse }) });
    expect(await readAttachment(folder)).toMatchObject({
      error: { code: 'unreadable', fix: expect.stringContaining('folder') },
    });
  },
);

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

test('names say kind and size', async () => {
  expect(attachmentName(image(3000))).toBe('a.png, 3 kB');
  expect(attachmentName(paste('a\nb'))).toBe('Pasted text, 2 lines');
  expect(attachmentName({ ...paste('a\nb'), name: 'tide.txt' })).toBe('tide.txt, 2 lines');
  const file = await readAttachment(new File(['one\ntwo\n'], 'tide.txt', { type: 'text/plain' }));
  expect(file.ok && attachmentName(file.value)).toBe('tide.txt, 2 lines');
  expect(carriedWords(0, [])).toBe('');
  const tide = { lines: 1, file: 'tide.txt' };
  expect(carriedWords(2, [{ lines: 1 }, { lines: 30 }])).toBe(
    '2 images, pasted text of 1 line, pasted text of 30 lines',
  );
  expect(carriedWords(0, [tide, { lines: 30 }])).toBe('tide.txt (1 line), pasted text of 30 lines');
  expect(carriedWords(0, Array(40).fill({ lines: 3 }))).toBe('40 pasted texts of 120 lines');
  expect(carriedWords(0, [tide, tide, tide, { lines: 9 }, tide])).toBe(
    '4 files of 4 lines, 1 pasted text of 9 lines',
  );
});
