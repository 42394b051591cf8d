import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlaceMoved } from '../../src/main/node/held-folder';
import type { QuickLook } from '../../src/main/node/quick-look';
import { locateBy, openBy } from '../../src/main/node/quick-place';
import { readFrom } from '../../src/main/node/read-file';
import { tempFolder } from './temp-folder';

const atOnce: QuickLook = async (quick) => quick();
const patiently: QuickLook = (_, patient) => patient();
/** A disk that falls asleep after the first look. */
const onceAtOnce = (): QuickLook => {
  let looked = false;
  return (quick, patient) => {
    if (looked) return patient();
    looked = true;
    return atOnce(quick, patient);
  };
};

describe.each([
  ['at once', () => atOnce],
  ['patiently', () => patiently],
  ['at once, then patiently', onceAtOnce],
])('a place looked at %s', (_, make) => {
  it('is where its links lead, and can be read', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'file.txt');
    await writeFile(file, 'content');
    await symlink('file.txt', join(folder, 'link'));
    const look = make();
    const place = await locateBy(look, join(folder, 'link'));
    expect(place.realPath).toBe(file);
    const { handle, found } = await openBy(look, place);
    const { bytes, more } = await readFrom(handle, Number(found.size), 0, 4);
    expect([new TextDecoder().decode(bytes), more]).toEqual(['cont', true]);
    await handle.close();
  });

  it('may have nothing at it', async () => {
    const folder = await tempFolder();
    const missing = join(folder, 'not', 'there');
    expect(await locateBy(make(), missing)).toEqual({ realPath: missing, identity: null });
    await symlink(missing, join(folder, 'dangling'));
    expect(await locateBy(make(), join(folder, 'dangling'))).toMatchObject({ realPath: missing });
    await expect(openBy(make(), { realPath: missing, identity: null })).rejects.toThrow('ENOENT');
  });

  it('THREATS 6: is not opened once another file or a link took it', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'file.txt');
    await writeFile(file, 'content');
    const place = { realPath: file, identity: '1:1' };
    await expect(openBy(make(), place)).rejects.toThrow(PlaceMoved);
    await symlink('file.txt', join(folder, 'link'));
    const linked = { ...(await locateBy(make(), file)), realPath: join(folder, 'link') };
    await expect(openBy(make(), linked)).rejects.toThrow(PlaceMoved);
  });
});
