import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from '../../src/main/node/make-folder';
import { tempFolder } from './temp-folder';

const WAYS: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['waiting', (path) => makeFolder(path)],
  ['at once', async (path) => makeFolderSync(path)],
];

test.each(WAYS)(
  '%s: makes what is missing, its owner’s only, and takes what is there',
  async (_, make) => {
    const folder = await tempFolder();
    await make(join(folder, 'a', 'b', 'c'));
    expect((await stat(join(folder, 'a', 'b'))).mode & 0o777).toBe(0o700);
    await make(join(folder, 'a', 'b'));
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'link'));
    await make(join(folder, 'link', 'x'));
    expect((await stat(join(folder, 'real', 'x'))).isDirectory()).toBe(true);
  },
);

test.each(WAYS)('%s: says what stands in the way', async (_, make) => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'file'), '');
  await symlink('nothing', join(folder, 'link'));
  await expect(make(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(make(join(folder, 'file', 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(make(join(folder, 'link'))).rejects.toMatchObject({ code: 'EEXIST' });
});
