import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutputReader } from '../../../src/main/engine/tasks/output-reader';
import { withUnsaved } from '../../../src/main/engine/tasks/unsaved-output';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

const why = 'the disk is full';

/** An output of which only what is printed is in a file. */
async function output(from = 0) {
  const path = join(await tempFolder(), 'task.output');
  const reader = withUnsaved(createOutputReader(createNodeFiles(), path, from));
  let bytes = 0;
  return {
    reader,
    read: async () => (await reader.readNew()).text,
    print: async (text: string) => {
      await appendFile(path, text);
      bytes += Buffer.byteLength(text);
    },
    /** Prints more, of which the last `left` characters stay in memory. */
    lose: (text: string, left = text.length) => {
      bytes += Buffer.byteLength(text);
      reader.heard({ bytes, unsaved: { tail: text.slice(-left), why } });
    },
  };
}

describe('output that the disk takes no more of', () => {
  it('goes on from the line in which the file breaks off', async () => {
    const { read, print, reader } = await output();
    await print('one\nhalf');
    reader.heard({ bytes: 20, unsaved: { tail: 'one\nhalf a line\nmore', why } });
    expect(await read()).toBe('one\nhalf a line\nmore');
    expect(await read()).toBe('');
    reader.heard({ bytes: 24, unsaved: { tail: 'one\nhalf a line\nmore ok\n', why } });
    expect(await read()).toBe('more ok\n');
    expect(await read()).toBe('');
  });

  it('is not given twice where the file was read before', async () => {
    const { read, print, reader } = await output();
    await print('one\nhalf');
    expect(await read()).toBe('one\nhalf');
    reader.heard({ bytes: 8, unsaved: { tail: 'one\nhalf', why } });
    expect(await read()).toBe('');
    reader.heard({ bytes: 15, unsaved: { tail: 'one\nhalf a line', why } });
    expect(await read()).toBe('half a line');
  });

  it('says how much is gone, once, and after what', async () => {
    const { read, print, lose, reader } = await output();
    await print('one\n');
    lose('lost\nleft\n', 5);
    expect(await reader.readNew()).toEqual({
      ...{ text: 'one\n[5 bytes of output are gone: the disk is full]\nleft\n', unsaved: why },
      skippedBytes: 0,
    });
    lose('gone\n\x1b[31mred\x1b[0m ü', 14);
    expect(await read()).toBe('[5 bytes of output are gone: the disk is full]\nred ü');
    expect(await read()).toBe('');
  });
});
