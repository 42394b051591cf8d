import { chmod, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { changePath, launcherOf } from '../../../src/main/hosts/common/path-command';
import { tempFolder } from '../../node/temp-folder';

let home: string;
let shared: string;
const launcher = '/Applications/Lathe.app/Contents/Resources/bin/lathe';

beforeEach(async () => {
  home = await tempFolder();
  shared = join(home, 'usr-local-bin');
});

const mac = (over: object = {}) => ({
  ...{ platform: 'darwin' as const, home, launcher, shared: [shared] },
  env: { PATH: '/usr/bin:/bin' },
  ...over,
});

describe.skipIf(process.platform === 'win32')('a link in a folder of PATH', () => {
  test('is made in the first folder that may be written, one of PATH before the others, and is removed', async () => {
    const own = join(home, '.local', 'bin');
    for (const folder of [shared, own]) await mkdir(folder, { recursive: true });
    const place = join(own, 'lathe');
    const inPath = mac({ env: { PATH: `/usr/bin:${own}` } });
    expect(await changePath('add', inPath)).toEqual({
      ok: true,
      value: `${place} starts Lathe now.`,
    });
    expect(await readlink(place)).toBe(launcher);
    // Again, and for an app that was moved: the link leads to the one that asks.
    const moved = '/Users/ann/Applications/Lathe.app/Contents/Resources/bin/lathe';
    expect(await changePath('add', { ...inPath, launcher: moved })).toMatchObject({ ok: true });
    expect(await readlink(place)).toBe(moved);
    expect(await changePath('remove', inPath)).toEqual({
      ok: true,
      value: 'No link leads to this Lathe.',
    });
    expect(await changePath('remove', { ...inPath, launcher: moved })).toEqual({
      ok: true,
      value: `${place} is removed.`,
    });
    await expect(readlink(place)).rejects.toThrow();
  });

  test('outside of PATH it says what to do about that', async () => {
    await mkdir(shared);
    const told = await changePath('add', mac());
    expect(told).toMatchObject({
      ok: true,
      value: expect.stringContaining(`add ${shared} to PATH`),
    });
  });

  test('a program of the same name stays, and is named', async () => {
    await mkdir(shared);
    const place = join(shared, 'lathe');
    await writeFile(place, 'a machine tool');
    const refused = await changePath('add', mac());
    expect(refused).toMatchObject({
      error: { code: 'taken', message: expect.stringContaining(place) },
    });
    await changePath('remove', mac());
    expect(await readFile(place, 'utf8')).toBe('a machine tool');
    const other = join(home, 'bin');
    await mkdir(other);
    await symlink('/opt/other/lathe', join(other, 'lathe'));
    expect(await changePath('add', mac({ shared: [] }))).toMatchObject({
      error: { code: 'taken' },
    });
  });

  test('without a folder that may be written, the command of an administrator is named', async () => {
    expect(await changePath('add', mac())).toMatchObject({
      error: { fix: expect.stringContaining(`sudo ln -sf '${launcher}'`) },
    });
  });

  test.each([
    '/Volumes/Lathe/Lathe.app/Contents/Resources/bin/lathe',
    '/private/var/folders/x/AppTranslocation/y/d/Lathe.app/Contents/Resources/bin/lathe',
  ])('an app that will not stay at %s is not linked', async (unsteady) => {
    await mkdir(shared);
    expect(await changePath('add', mac({ launcher: unsteady }))).toMatchObject({
      error: { code: 'moves', fix: expect.stringContaining('Applications') },
    });
  });

  test('an image is linked itself', async () => {
    await mkdir(shared);
    const image = join(home, 'Lathe-1.0.AppImage');
    const told = await changePath('add', mac({ platform: 'linux', launcher: image }));
    expect(told.ok).toBe(true);
    expect(await readlink(join(shared, 'lathe'))).toBe(image);
  });
});

describe.skipIf(process.platform === 'win32')('PATH in the registry of Windows', () => {
  const windows = async (exported: string) => {
    const store = join(home, 'registry.reg');
    const reg = join(home, 'reg');
    await writeFile(store, `\ufeff${exported}`, 'utf16le');
    await writeFile(
      reg,
      `#!/bin/sh\ncase $1 in export) cp '${store}' "$3";; import) cp "$2" '${store}';; esac\n`,
    );
    await chmod(reg, 0o755);
    const installation = {
      ...{ platform: 'win32' as const, home, env: {}, reg },
      launcher: 'C:\\Users\\Zoë\\AppData\\Local\\Programs\\Lathe\\resources\\bin\\lathe.cmd',
    };
    return { installation, text: () => readFile(store, 'utf16le') };
  };

  test('takes the folder in and gives it back', async () => {
    const { installation, text } = await windows(
      'Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Environment]\r\n"Path"="C:\\\\tools;"\r\n',
    );
    expect(await changePath('add', installation)).toMatchObject({
      ok: true,
      value: expect.stringContaining(
        'Zoë\\AppData\\Local\\Programs\\Lathe\\resources\\bin is in PATH',
      ),
    });
    const added = await text();
    expect(added.charCodeAt(0)).toBe(0xfeff);
    expect(added).toContain('"Path"=hex(1):');
    await changePath('remove', installation);
    expect(await text()).not.toBe(added);
  });

  test('a registry that cannot be asked changes nothing and says what to do', async () => {
    const { installation } = await windows('');
    expect(await changePath('add', { ...installation, reg: join(home, 'none') })).toMatchObject({
      error: { code: 'registry', fix: expect.stringContaining('Environment variables') },
    });
  });
});

test.each([
  ['/x/resources/app.asar', 'darwin', {}, '/x/resources/bin/lathe'],
  ['/x/resources/app.asar', 'win32', {}, '\\x\\resources\\bin\\lathe.cmd'],
  [
    '/tmp/.mount_L/resources/app.asar',
    'linux',
    { APPIMAGE: '/home/ann/L.AppImage', APPDIR: '/tmp/.mount_L' },
    '/home/ann/L.AppImage',
  ],
  [
    '/opt/Lathe/resources/app.asar',
    'linux',
    { APPIMAGE: '/home/ann/Editor.AppImage', APPDIR: '/tmp/.mount_Editor' },
    null,
  ],
  ['/opt/Lathe/resources/app.asar', 'linux', {}, null],
  ['/home/ann/lathe', 'darwin', {}, null],
] as const)('the launcher of %s on %s with %o', (root, platform, env, launched) => {
  const found = launcherOf(root, platform, env);
  expect(found?.replaceAll('\\', '/') ?? null).toBe(launched?.replaceAll('\\', '/') ?? null);
});
