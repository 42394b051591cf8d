import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/main/engine/ports';
import { createReadTool } from '../../../../src/main/engine/tools/builtin/read/read';
import { versionOf } from '../../../../src/main/engine/tools/file-read-state';
import { createNodeFiles } from '../../../../src/main/node/files';
import { tempFolder } from '../../../node/temp-folder';
import { pngOfSize, TINY_IMAGES } from '../../../support/images';
import { toolEnvironment } from '../../../support/tool-environment';
import { needsIn, runTool } from './run-tool';

const read = createReadTool();

async function project() {
  const folder = await tempFolder();
  const env = toolEnvironment({
    project: folder,
    home: join(folder, 'home'),
  });
  return { folder, env, run: (input: object) => runTool(read, input, env) };
}

describe('Read, text', () => {
  it('leaves the whole text for those who tell changes, also after a part was read', async () => {
    const { folder, env, run } = await project();
    const file = join(folder, 'a.txt');
    await writeFile(file, 'one\ntwo\n');
    await run({ file_path: 'a.txt', offset: 2, limit: 1 });
    const seen = env.agent.reads.get(file);
    expect(seen?.whole).toBe(false);
    expect(env.agent.reads.snapshots.text(file, seen === null ? '' : versionOf(seen))).toBe(
      'one\ntwo\n',
    );
  });

  it('numbers the lines', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'a.txt'), 'one\n\nthree ✓\n');
    const call = await run({ file_path: 'a.txt' });
    expect(call.text).toBe('     1\tone\n     2\t\n     3\tthree ✓');
    expect(call.view).toMatchObject({ kind: 'file', startLine: 1, lineCount: 3, totalLines: 3 });
  });

  it.each([
    ['absolute', (folder: string) => join(folder, 'home/f')],
    ['relative', () => 'home/f'],
    ['in the home folder', () => '~/f'],
  ])('takes a path that is %s', async (_, path) => {
    const { folder, run } = await project();
    await mkdir(join(folder, 'home'));
    await writeFile(join(folder, 'home/f'), 'x');
    expect((await run({ file_path: path(folder) })).text).toBe('     1\tx');
  });

  it('reads a part, and says how to go on', async () => {
    const { folder, run } = await project();
    await writeFile(
      join(folder, 'f'),
      Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\n'),
    );
    const call = await run({ file_path: 'f', offset: 10, limit: 2 });
    expect(call.text).toContain('    10\tline 10\n    11\tline 11\n');
    expect(call.text).toContain('Lines 10 to 11 of 50');
    expect(call.text).toContain('offset 12');
    expect((await run({ file_path: 'f', offset: 49, limit: 2 })).text).toBe(
      '    49\tline 49\n    50\tline 50',
    );
    expect(await run({ file_path: 'f', offset: 51 })).toMatchObject({ ok: false });
  });

  it('gives 2000 lines unless asked, and never more text than a result may have', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'many'), 'x\n'.repeat(5000));
    const many = await run({ file_path: 'many' });
    expect(many.text).toContain('Lines 1 to 2000 of 5000');
    await writeFile(join(folder, 'wide'), `${'y'.repeat(1000)}\n`.repeat(1000));
    const wide = await run({ file_path: 'wide', limit: 1000 });
    expect(wide.text.length).toBeLessThanOrEqual(read.maxResultChars);
    expect(wide.text).toContain('getting too long');
  });

  it('cuts long lines without cutting a character', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'f'), `${'a'.repeat(1999)}😀${'b'.repeat(5000)}\nshort`);
    const { text } = await run({ file_path: 'f' });
    expect(text).toContain('[line cut: 7001 characters]');
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain('     2\tshort');
  });

  it.each([
    ['UTF-8 with mark', Buffer.from('\ufeffgrün\r\nzwei\r\n')],
    ['UTF-16 little endian', Buffer.from('\ufeffgrün\r\nzwei\r\n', 'utf16le')],
    ['UTF-16 big endian', Buffer.from('\ufeffgrün\r\nzwei\r\n', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('grün\r\nzwei\r\n', 'latin1')],
  ])('shows %s as text', async (_, bytes) => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'f'), bytes);
    expect((await run({ file_path: 'f' })).text).toBe('     1\tgrün\n     2\tzwei');
  });

  it('says that a file is empty', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'f'), '');
    expect((await run({ file_path: 'f' })).text).toContain('empty');
  });

  it('remembers what was seen, under the real path', async () => {
    const { folder, env, run } = await project();
    await writeFile(join(folder, 'f'), 'a\nb\n');
    await symlink('f', join(folder, 'link'));
    await run({ file_path: 'link', limit: 1 });
    expect(env.agent.reads.get(join(folder, 'f'))).toMatchObject({ size: 4, whole: false });
    await run({ file_path: 'link' });
    expect(env.agent.reads.get(join(folder, 'f'))).toMatchObject({ whole: true });
  });
});

describe('Read, what cannot be shown', () => {
  it('refuses binary files', async () => {
    const { folder, env, run } = await project();
    await writeFile(join(folder, 'f'), Buffer.from([1, 2, 0, 3]));
    const call = await run({ file_path: 'f' });
    expect(call).toMatchObject({ ok: false });
    expect(call.text).toContain('binary');
    expect(env.agent.reads.get(join(folder, 'f'))).toBeNull();
  });

  it('names files that may have been meant', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'config.ts'), '');
    await writeFile(join(folder, 'unrelated.md'), '');
    const { text } = await run({ file_path: 'confg.ts' });
    expect(text).toContain('does not exist');
    expect(text).toContain(join(folder, 'config.ts'));
    expect(text).not.toContain('unrelated');
    expect((await run({ file_path: 'config.js' })).text).toContain('config.ts');
  });

  it('sends folders to Glob, and does not hang on pipes', async () => {
    const { folder, run } = await project();
    expect((await run({ file_path: folder })).text).toContain('Glob');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect((await run({ file_path: 'pipe' })).ok).toBe(false);
  });
});

describe('Read, large files', () => {
  it('answers 500 MB at once, having read next to nothing, and tells how to read a part', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'huge.log');
    await writeFile(path, 'first\n');
    await truncate(path, 500_000_000);
    const { files, bytes } = countingFiles();
    const call = await runTool(
      read,
      { file_path: path },
      toolEnvironment({ project: folder, files }),
    );
    expect(call.ok).toBe(false);
    expect(call.text).toMatch(/477 MiB.*offset.*limit/s);
    expect(bytes()).toBeLessThan(100);
  });

  it('reads a part of a large file piece by piece and no further than needed', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'large.log');
    const line = (i: number) => `${String(i).padStart(8, '0')} ${'é'.repeat(45)}`;
    await writeFile(path, Array.from({ length: 200_000 }, (_, i) => line(i + 1)).join('\n'));
    const { files, bytes, largest } = countingFiles();
    const env = toolEnvironment({ project: folder, files });
    const near = await runTool(read, { file_path: path, offset: 3, limit: 2 }, env);
    expect(near.text).toContain(`     3\t${line(3)}\n     4\t${line(4)}`);
    expect(near.text).toContain('offset 5');
    expect(bytes()).toBeLessThan(2_000_000);
    const far = await runTool(read, { file_path: path, offset: 199_999 }, env);
    expect(far.text).toBe(`199999\t${line(199_999)}\n200000\t${line(200_000)}`);
    expect(largest()).toBeLessThanOrEqual(1024 * 1024);
  });

  it('stops when interrupted', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'large.log');
    await writeFile(path, 'x\n');
    await truncate(path, 0);
    await writeFile(path, 'x\n'.repeat(6_000_000));
    const call = await runTool(
      read,
      { file_path: path, offset: 5_999_999 },
      toolEnvironment({ project: folder }),
      { signal: AbortSignal.abort() },
    );
    expect(call).toMatchObject({ ok: false, text: 'Interrupted while reading.' });
  });
});

describe('Read, images', () => {
  const PNG = TINY_IMAGES['image/png'];

  it.each([...Object.entries(TINY_IMAGES)])(
    'shows %s, whatever its name',
    async (mediaType, start) => {
      const { folder, run } = await project();
      const bytes = Buffer.concat([start, Buffer.alloc(40)]);
      await writeFile(join(folder, 'picture'), bytes);
      const call = await run({ file_path: 'picture' });
      const blocks = call.outcome.ok ? read.toModel(call.outcome.output as never) : [];
      expect(blocks).toEqual([
        {
          type: 'image',
          source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') },
        },
      ]);
    },
  );

  it('refuses one that would be over 5 MiB on its way to the model', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'p.png'), Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));
    const call = await run({ file_path: 'p.png' });
    expect(call.ok).toBe(false);
    expect(call.text).toContain('3.75 MiB');
  });

  it('refuses one that a model could not be shown, and says why', async () => {
    const { folder, run } = await project();
    await writeFile(join(folder, 'cut.png'), PNG.subarray(0, 40));
    await writeFile(join(folder, 'wide.png'), pngOfSize(9000, 10));
    expect((await run({ file_path: 'cut.png' })).text).toMatch(/cannot be shown: it is damaged/);
    expect((await run({ file_path: 'wide.png' })).text).toMatch(
      /9000 × 10 pixels; the limit is 8000 .* Make a smaller copy/,
    );
  });
});

describe('Read, declared', () => {
  it('needs to read the file at both ends of a link, is read-only and may run beside others', async () => {
    const { folder, env } = await project();
    await symlink('/etc/passwd', join(folder, 'link'));
    expect(await needsIn(read, { file_path: 'link' }, env)).toEqual([
      {
        kind: 'file',
        tool: 'Read',
        access: 'read',
        path: join(folder, 'link'),
        realPath: '/etc/passwd',
        identity: expect.stringMatching(/^\d+:\d+$/),
      },
    ]);
    expect(read.title({})).toEqual({ verb: 'Read', target: '' });
  });
});

/** The real disk, counting what is read. */
function countingFiles(): { files: Files; bytes: () => number; largest: () => number } {
  const files = createNodeFiles();
  const sizes: number[] = [];
  return {
    files: {
      ...files,
      read: async (path, max) => {
        const result = await files.read(path, max);
        if (result.ok) sizes.push(result.value.byteLength);
        return result;
      },
      readRange: async (path, start, end) => {
        const result = await files.readRange(path, start, end);
        if (result.ok) sizes.push(result.value.byteLength);
        return result;
      },
    },
    bytes: () => sizes.reduce((sum, size) => sum + size, 0),
    largest: () => Math.max(...sizes),
  };
}
