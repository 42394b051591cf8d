import { symlink, writeFile } from 'node:fs/promises';
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
