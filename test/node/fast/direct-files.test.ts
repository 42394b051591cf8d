import { execFileSync } from 'node:child_process';
import { link, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files, Place } from '../../../src/main/engine/ports';
import { createDirectFiles } from '../../../src/main/node/fast/direct-files';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../temp-folder';

const files = createNodeFiles();
const direct = createDirectFiles(files);

/** Everything that can be at a path, by name. */
async function everyKind(): Promise<string> {
  const folder = await tempFolder();
  const at = (name: string) => join(folder, name);
  await mkdir(at('folder'));
  await writeFile(at('plain'), 'content');
  await writeFile(at('empty'), '');
  await writeFile(at('large'), Buffer.alloc(300_000, 'abc'));
  await writeFile(at('shared'), 'two names');
  await link(at('shared'), at('folder/second name'));
  await symlink('plain', at('link'));
  await symlink('nowhere', at('dangling'));
  await symlink('circle', at('circle'));
  if (process.platform !== 'win32') execFileSync('mkfifo', [at('pipe')]);
  return folder;
}

/** Locates and opens a path, and reads parts of what is there. */
async function taken(by: Files, path: string, range: readonly [number, number]) {
  const place = await by.locate(path);
  const read = place.ok ? await readAt(by, place.value, range) : null;
  return { place, read, stat: await by.stat(path) };
}

async function readAt(by: Files, place: Place, [start, end]: readonly [number, number]) {
  const opened = await by.open(place);
  if (!opened.ok) return opened;
  const { stat } = opened.value;
  const bytes = await opened.value.read(start, end);
  await opened.value.close();
  return { stat, bytes: bytes.ok ? Buffer.from(bytes.value).toString() : bytes };
}

describe('files at hand', () => {
  it('are found, refused and read as by another thread, whatever is at the path', async () => {
    const folder = await everyKind();
    const names = [...(await readdir(folder)), 'missing', 'plain/below', 'folder/../link'];
    for (const name of names)
      for (const range of [
        [0, 100_000],
        [5, 7],
        [299_990, 400_000],
        [7, 7],
      ] as const) {
        const path = `${folder}/${name}`;
        expect([name, await taken(direct, path, range)]).toEqual([
          name,
          await taken(files, path, range),
        ]);
      }
  });

  it('that say they have no bytes are read to their end', async () => {
    if (process.platform !== 'linux') return;
    const { read } = await taken(direct, '/proc/self/limits', [0, 100_000]);
    expect(read).toMatchObject({ bytes: expect.stringContaining('Max open files') });
  });

  it('THREATS 6: are not opened once another file, or a link in their path, took the place', async () => {
    const folder = await everyKind();
    const plain = join(folder, 'plain');
    const inner = join(folder, 'folder/second name');
    const [before, below] = [await direct.locate(plain), await direct.locate(inner)];
    if (!before.ok || !below.ok) throw new Error('not located');
    await rename(join(folder, 'large'), plain);
    await rename(join(folder, 'folder'), join(folder, 'moved'));
    await symlink('moved', join(folder, 'folder'));
    for (const place of [before.value, below.value])
      expect(await direct.open(place)).toMatchObject({ ok: false });
  });

  it('wait for no other thread', async () => {
    if (process.platform !== 'linux') return;
    const folder = await everyKind();
    const never = () => new Promise<never>(() => undefined);
    const alone = createDirectFiles({ ...files, stat: never, locate: never, open: never });
    for (const name of ['plain', 'link', 'shared'])
      expect(await taken(alone, join(folder, name), [0, 3])).toMatchObject({
        read: { bytes: expect.any(String) },
      });
  });
});
