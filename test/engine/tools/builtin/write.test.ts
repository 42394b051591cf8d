import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReadTool } from '../../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../../src/main/engine/tools/builtin/write/write';
import { tempFolder } from '../../../node/temp-folder';
import { toolEnvironment } from '../../../support/tool-environment';
import { runTool } from './run-tool';

const write = createWriteTool();

async function project() {
  const folder = await tempFolder();
  const env = toolEnvironment({ project: folder });
  return {
    folder,
    env,
    run: (content: string) => runTool(write, { file_path: 'f', content }, env),
    read: () => runTool(createReadTool(), { file_path: 'f' }, env),
  };
}

describe('Write', () => {
  it('creates, and may then write again without a read', async () => {
    const { folder, run } = await project();
    const created = await run('one\ntwo\n');
    expect(created.text).toBe('Created f (2 lines).');
    expect(created.view).toMatchObject({ kind: 'diff', created: true, added: 2, removed: 0 });
    const replaced = await run('one\nthree\n');
    expect(replaced.text).toContain('Replaced');
    expect(replaced.view).toMatchObject({ added: 1, removed: 1 });
    expect(await readFile(join(folder, 'f'), 'utf8')).toBe('one\nthree\n');
  });

  it('does not replace what was not read, or has changed', async () => {
    const { folder, run, read } = await project();
    await writeFile(join(folder, 'f'), 'old');
    expect((await run('new')).text).toContain('Read it first');
    await read();
    await writeFile(join(folder, 'f'), 'changed by someone');
    expect((await run('new')).text).toContain('has changed since');
    expect(await readFile(join(folder, 'f'), 'utf8')).toBe('changed by someone');
  });

  it.each([
    [
      'UTF-8 with mark and Windows line ends',
      Buffer.from('\ufeffa\r\nb\r\n'),
      Buffer.from('\ufeffc\r\nd\r\n'),
    ],
    ['UTF-16', Buffer.from('\ufeffa\nb\n', 'utf16le'), Buffer.from('\ufeffc\nd\n', 'utf16le')],
    ['Unix', Buffer.from('a\nb\n'), Buffer.from('c\nd\n')],
  ])('keeps %s', async (_, before, after) => {
    const { folder, run, read } = await project();
    await writeFile(join(folder, 'f'), before);
    await read();
    await run('c\nd\n');
    expect((await readFile(join(folder, 'f'))).equals(after)).toBe(true);
  });

  it('turns a one-byte file into UTF-8 when it must', async () => {
    const { folder, run, read } = await project();
    await writeFile(join(folder, 'f'), Buffer.from('grün', 'latin1'));
    await read();
    await run('漢');
    expect(await readFile(join(folder, 'f'), 'utf8')).toBe('漢');
  });

  it('keeps the mode', async () => {
    const { folder, run, read } = await project();
    await writeFile(join(folder, 'f'), 'a');
    await chmod(join(folder, 'f'), 0o750);
    await read();
    await run('b');
    expect((await stat(join(folder, 'f'))).mode & 0o777).toBe(0o750);
  });

  it('refuses a folder, and what cannot be stored', async () => {
    const { folder, env, run } = await project();
    expect((await runTool(write, { file_path: folder, content: '' }, env)).text).toContain(
      'folder',
    );
    expect((await run('\udfff')).ok).toBe(false);
  });
});
