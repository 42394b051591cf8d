import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locatePlace, openPlace, PlaceMoved } from '../../src/main/node/places';
import { tempFolder } from './temp-folder';

it('finds where links lead, and opens what is there', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'file.txt');
  await writeFile(file, 'content');
  await symlink('file.txt', join(folder, 'link'));
  const place = await locatePlace(join(folder, 'link'));
  expect(place.realPath).toBe(file);
  const { handle } = await openPlace(place);
  expect(await handle.readFile('utf8')).toBe('content');
  await handle.close();
});

it('locates what is not there, and does not open it', async () => {
  const folder = await tempFolder();
  const missing = join(folder, 'not', 'there');
  expect(await locatePlace(missing)).toEqual({ realPath: missing, identity: null });
  await symlink(missing, join(folder, 'dangling'));
  expect(await locatePlace(join(folder, 'dangling'))).toMatchObject({ realPath: missing });
  await expect(openPlace({ realPath: missing, identity: null })).rejects.toThrow('ENOENT');
});

it('THREATS 6: is not opened once another file or a link took it', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'file.txt');
  await writeFile(file, 'content');
  await expect(openPlace({ realPath: file, identity: '1:1' })).rejects.toThrow(PlaceMoved);
  await symlink('file.txt', join(folder, 'link'));
  const linked = { ...(await locatePlace(file)), realPath: join(folder, 'link') };
  await expect(openPlace(linked)).rejects.toThrow(PlaceMoved);
});

it('goes up from what is missing as the system will once it is there', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'secret'), 'x');
  await symlink(join(folder, 'secret'), join(folder, 'link'));
  const { realPath } = await locatePlace(`${folder}/missing/deeper/../../link`);
  expect(realPath).toBe(join(folder, 'secret'));
});

it('goes up from where a dangling link leads, and from a link behind it', async () => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await symlink('a/missing', join(folder, 'dangles'));
  await symlink('b', join(folder, 'a/link'));
  const { realPath } = await locatePlace(`${folder}/dangles/../link/../x`);
  expect(realPath).toBe(join(folder, 'a/x'));
});

it('follows a dangling link in the middle of what is missing', async () => {
  const folder = await tempFolder();
  await symlink('elsewhere', join(folder, 'link'));
  const place = await locatePlace(join(folder, 'link/a/b'));
  expect(place).toEqual({ realPath: join(folder, 'elsewhere/a/b'), identity: null });
});

it('resolves a path of 1 900 missing folders, and refuses one that no system takes', async () => {
  const folder = await tempFolder();
  const deep = `${folder}${'/a'.repeat(1_900)}`;
  expect(await locatePlace(deep)).toEqual({ realPath: deep, identity: null });
  const endless = `${folder}${'/a'.repeat(50_000)}`;
  await expect(locatePlace(endless)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});
