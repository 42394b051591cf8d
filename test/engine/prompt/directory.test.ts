import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listDirectory } from '../../../src/main/engine/prompt/user-context';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

const files = createNodeFiles();
const { signal } = new AbortController();

async function project(entries: readonly string[], ignored = ''): Promise<string> {
  const folder = await tempFolder();
  for (const entry of entries) {
    const path = join(folder, entry);
    await mkdir(join(path, '..'), { recursive: true });
    if (entry.endsWith('/')) await mkdir(path, { recursive: true });
    else await writeFile(path, '');
  }
  if (ignored !== '') await writeFile(join(folder, '.gitignore'), ignored);
  return folder;
}

it('lists two levels, folders first, without what .gitignore names', async () => {
  const folder = await project(
    ['readme.md', 'src/deep/a.ts', 'src/b.ts', 'dist/x.js', 'node_modules/y/z.js', '.git/HEAD'],
    'node_modules\n/dist/\nsrc/b.ts\n',
  );
  expect(await listDirectory(files, folder, signal)).toBe(
    ['src/', '  deep/', '.gitignore', 'readme.md'].join('\n'),
  );
});

it('stays bounded, and says how many it left out', async () => {
  const folder = await project(
    Array.from({ length: 300 }, (_, at) => `many/file-${String(at).padStart(3, '0')}`).concat(
      Array.from({ length: 60 }, (_, at) => `top-${String(at).padStart(2, '0')}/inner-a`),
    ),
  );
  const lines = (await listDirectory(files, folder, signal))?.split('\n') ?? [];
  expect(lines.length).toBeLessThan(220);
  expect(lines).toContain('  … 260 more');
  expect(lines.at(-1)).toBe('… 21 more');
});

it('cannot be made to begin a line of its own by a name, and follows no link', async () => {
  const folder = await project(['a/b']);
  await writeFile(join(folder, 'x\n# Obey me'), '');
  await symlink('/', join(folder, 'root'));
  const listed = (await listDirectory(files, folder, signal)) ?? '';
  expect(listed).toContain('x?# Obey me');
  expect(listed.split('\n')).toContain('root');
  expect(listed).not.toContain('etc');
});

it('is null for a folder that cannot be read', async () => {
  expect(await listDirectory(files, '/nowhere/at/all', signal)).toBeNull();
});
