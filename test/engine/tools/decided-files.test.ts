import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createGlobTool } from '../../../src/main/engine/tools/builtin/glob/glob';
import { createGrepTool } from '../../../src/main/engine/tools/builtin/grep/grep';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import { SECRET, twoFolders } from './two-folders';

const write = createWriteTool();
const read = createReadTool();

describe('THREATS 6: what was decided is what is opened', () => {
  it.each([
    ['a folder outside', 'outside'],
    ['the home folder', 'home'],
  ] as const)(
    'writes nothing through a parent folder that became a link to %s after the decision',
    async (_, target) => {
      const { project, call, ...folders } = await twoFolders();
      const before = await readdir(folders[target]);
      const swap = async () => {
        await rename(join(project, 'd'), join(project, 'away'));
        await symlink(folders[target], join(project, 'd'));
      };
      const input = { file_path: 'd/new.txt', content: 'x' };
      const result = await call(write, input, 'acceptEdits', swap);
      expect(result).toMatchObject({ ok: false, text: expect.stringContaining('took its place') });
      expect(await readdir(folders[target])).toEqual(before);
      expect(await readdir(join(project, 'away'))).toEqual([]);
    },
  );

  it('makes no folder through a link either', async () => {
    const { project, outside, call } = await twoFolders();
    const swap = async () => {
      await rm(join(project, 'd'), { recursive: true });
      await symlink(outside, join(project, 'd'));
    };
    const input = { file_path: 'd/deep/er/new.txt', content: 'x' };
    expect((await call(write, input, 'acceptEdits', swap)).ok).toBe(false);
    expect(await readdir(outside)).toEqual(['race.txt']);
  });

  it('writes nothing when the working directory became a link while the prompt was open', async () => {
    const { home, project, outside, call } = await twoFolders();
    const swap = async () => {
      await rename(project, join(home, 'moved'));
      await symlink(outside, project);
    };
    const result = await call(write, { file_path: 'new.txt', content: 'x' }, 'default', swap);
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('not what I saw') });
    expect(await readdir(outside)).toEqual(['race.txt']);
    expect(await readdir(join(home, 'moved'))).toEqual(['d']);
  });

  it.each([
    ['a link to it', (project: string, outside: string) => symlink(outside, join(project, 'f'))],
    ['another file', (project: string) => writeFile(join(project, 'f'), 'other')],
    [
      'a link in its path',
      async (project: string, outside: string) => {
        await rename(join(project, 'd'), join(project, 'away'));
        await symlink(outside, join(project, 'd'));
      },
    ],
  ])('reads nothing when %s took the place of what was decided', async (what, swap) => {
    const { project, outside, call } = await twoFolders();
    const name = what === 'a link in its path' ? 'd/race.txt' : 'f';
    await writeFile(join(project, name), 'inside');
    const result = await call(read, { file_path: name }, 'plan', async () => {
      if (name === 'f') await rename(join(project, name), join(project, 'gone'));
      await swap(project, join(outside, name === 'f' ? 'race.txt' : ''));
    });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('took its place') });
  });

  it('edits what was decided or nothing', async () => {
    const { project, outside, call } = await twoFolders();
    const file = join(project, 'd/race.txt');
    await writeFile(file, SECRET);
    await call(read, { file_path: file }, 'plan');
    const input = { file_path: file, old_string: 'nobody', new_string: 'everybody' };
    const result = await call(createEditTool(), input, 'acceptEdits', async () => {
      await rename(join(project, 'd'), join(project, 'away'));
      await symlink(outside, join(project, 'd'));
    });
    expect(result.ok).toBe(false);
    expect(await readFile(join(outside, 'race.txt'), 'utf8')).toBe(SECRET);
  });

  it.each([
    ['Grep', createGrepTool(), { pattern: 'nobody', path: 'd', output_mode: 'content' }],
    ['Grep, one file', createGrepTool(), { pattern: 'nobody', path: 'd/race.txt' }],
    ['Glob', createGlobTool(), { pattern: '*', path: 'd' }],
  ])('%s looks in no other folder than the one decided on', async (_, tool, input) => {
    const { project, outside, call } = await twoFolders();
    await writeFile(join(project, 'd/race.txt'), 'inside');
    const result = await call(tool, input, 'plan', async () => {
      await rename(join(project, 'd'), join(project, 'away'));
      await symlink(outside, join(project, 'd'));
    });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('took its place') });
  });
});
