import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutputReader } from '../../../src/main/engine/tasks/output-reader';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

async function growingFile() {
  const path = join(await tempFolder(), 'task.output');
  const reader = createOutputReader(createNodeFiles(), path);
  return { reader, print: (data: string | Uint8Array) => appendFile(path, data) };
}

describe('reading new output', () => {
  it('is empty before there is a file', async () => {
    const { reader } = await growingFile();
    expect(await reader.readNew()).toEqual({ text: '', skippedBytes: 0 });
  });

  it('gives each line once, as plain text', async () => {
    const { reader, print } = await growingFile();
    await print('\x1b[32mone\x1b[0m\r\n');
    expect((await reader.readNew()).text).toBe('one\n');
    expect((await reader.readNew()).text).toBe('');
    await print('two\r\n');
    expect((await reader.readNew()).text).toBe('two\n');
  });

  it('shows an unfinished line, and the whole line again once it has grown', async () => {
    const { reader, print } = await growingFile();
    await print('Continue? [y');
    expect((await reader.readNew()).text).toBe('Continue? [y');
    expect((await reader.readNew()).text).toBe('');
    await print('/n] y\ndone\n');
    expect((await reader.readNew()).text).toBe('Continue? [y/n] y\ndone\n');
    expect((await reader.readNew()).text).toBe('');
  });

  it('is not confused by characters and escapes cut in two', async () => {
    const { reader, print } = await growingFile();
    const bytes = Buffer.from('\x1b[31m漢\x1b[0m\n');
    for (const byte of bytes) {
      await print(Buffer.from([byte]));
      await reader.readNew();
    }
    await print('end\n');
    expect((await reader.readNew()).text).toBe('end\n');
  });

  it('skips what is older than a window, at a line end, and counts it', async () => {
    const { reader, print } = await growingFile();
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i}\n`).join('');
    await print(lines);
    const { text, skippedBytes } = await reader.readNew();
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(text.startsWith('line ')).toBe(true);
    expect(text.endsWith('line 59999\n')).toBe(true);
    expect(skippedBytes + Buffer.byteLength(text)).toBe(Buffer.byteLength(lines));
  });

  it('goes on after one endless line', async () => {
    const { reader, print } = await growingFile();
    await print('x'.repeat(600_000));
    expect((await reader.readNew()).text).toHaveLength(30_000);
    await print('\nnext\n');
    expect((await reader.readNew()).text).toBe('\nnext\n');
  });

  it('readers at the same time share out the lines', async () => {
    const { reader, print } = await growingFile();
    await print('one\n');
    const texts = (await Promise.all([reader.readNew(), reader.readNew()])).map((o) => o.text);
    expect(texts).toEqual(['one\n', '']);
  });
});
