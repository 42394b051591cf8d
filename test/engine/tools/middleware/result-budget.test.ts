import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/main/engine/ports';
import { fitResult } from '../../../../src/main/engine/tools/middleware/result-budget';
import type { ToolContent } from '../../../../src/main/engine/tools/tool';
import { createNodeFiles } from '../../../../src/main/node/files';
import { err } from '../../../../src/shared/result';
import { tempFolder } from '../../../node/temp-folder';

const files = createNodeFiles();
const text = (value: string): ToolContent => [{ type: 'text', text: value }];
const textOf = (content: ToolContent) =>
  content.map((b) => (b.type === 'text' ? b.text : '')).join('');
const image: ToolContent[number] = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'x'.repeat(500_000) },
};

describe('one result', () => {
  it('stays as it is within its bound', async () => {
    const folder = await tempFolder();
    expect(await fitResult(files, folder, 'c', text('x'.repeat(50)), 50)).toEqual(
      text('x'.repeat(50)),
    );
  });

  it('goes to a file beyond it, and leaves a preview and the path', async () => {
    const folder = await tempFolder();
    const long = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join('\n');
    const fitted = textOf(await fitResult(files, folder, 'toolu_1', text(long), 100));
    const file = join(folder, 'tool-results', 'toolu_1.txt');
    expect(await readFile(file, 'utf8')).toBe(long);
    expect(fitted).toContain(file);
    expect(fitted).toContain(`${long.length} characters`);
    expect(fitted).toContain('line 0\nline 1\n');
    expect(fitted.length).toBeLessThan(3000);
  });

  it.each([[text('')], [text('  \n')], [[]]])('says when it is empty: %j', async (content) => {
    expect(textOf(await fitResult(files, '/nowhere', 'c', content, 100))).toContain(
      'without output',
    );
  });

  it('keeps images, which do not count', async () => {
    const folder = await tempFolder();
    expect(await fitResult(files, folder, 'c', [image], 100)).toEqual([image]);
    const mixed = await fitResult(files, folder, 'c', [...text('x'.repeat(101)), image], 100);
    expect(mixed.at(-1)).toEqual(image);
  });

  it('cannot be made to write elsewhere', async () => {
    const folder = await tempFolder();
    const fitted = await fitResult(files, folder, '../../evil', text('x'.repeat(10)), 5);
    expect(textOf(fitted)).toContain(join(folder, 'tool-results', '______evil.txt'));
  });

  it('says so when it cannot be saved, and still keeps the bound', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'tool-results'), 'in the way');
    const fitted = textOf(await fitResult(files, folder, 'c', text('x'.repeat(100_000)), 100));
    expect(fitted).toContain('could not be saved');
    expect(fitted.length).toBeLessThan(3000);
  });

  it('never cuts a character in two, wherever the bound falls', async () => {
    const folder = await tempFolder();
    for (let before = 1990; before < 2004; before += 1) {
      const long = 'x'.repeat(before) + '\u{1f600}'.repeat(2000);
      const fitted = textOf(await fitResult(files, folder, 'c', text(long), 100));
      expect(fitted.isWellFormed()).toBe(true);
    }
  });

  it('says when the disk is full, and gives the beginning', async () => {
    const full: Files = {
      ...files,
      write: async (path) => err({ code: 'no_space', path, message: 'No space left on the disk.' }),
    };
    const fitted = textOf(await fitResult(full, '/nowhere', 'c', text('x'.repeat(9000)), 100));
    expect(fitted).toContain('could not be saved (No space left on the disk.)');
    expect(fitted).toContain('x'.repeat(2000));
  });
});
