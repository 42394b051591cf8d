import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

// What nobody sees before a package is installed, and what only whole systems could try.

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (name: string) => readFile(join(ROOT, name), 'utf8');

const Builder = z.object({
  publish: z.unknown(),
  mac: z.object({
    extendInfo: z.object({
      CFBundleDocumentTypes: z.array(
        z.object({ LSHandlerRank: z.string(), LSItemContentTypes: z.array(z.string()) }),
      ),
    }),
  }),
  linux: z.object({ mimeTypes: z.array(z.string()) }),
});
const builder = async () => Builder.parse(parse(await read('electron-builder.yml')));

test('no feed of updates is made of where a clone came from', async () => {
  expect((await builder()).publish).toBeNull();
});

test('deb and rpm have the homepage without which they are not made', async () => {
  const { homepage } = z
    .object({ homepage: z.url() })
    .parse(JSON.parse(await read('package.json')));
  expect(homepage).toMatch(/^https:/);
});

test('folders are handed over on every system, and taken back by the uninstaller', async () => {
  const { mac, linux } = await builder();
  expect(mac.extendInfo.CFBundleDocumentTypes).toMatchObject([
    { LSHandlerRank: 'Alternate', LSItemContentTypes: ['public.folder'] },
  ]);
  expect(linux.mimeTypes).toContain('inode/directory');
  const [install = '', uninstall = ''] = (await read('resources/installer.nsh')).split(
    '!macro customUnInstall',
  );
  const written = [...install.matchAll(/WriteRegStr HKCU "([^"]+?)(?:\\command)?"/g)];
  expect(written.length).toBeGreaterThan(0);
  for (const [, key = ''] of written) expect(uninstall).toContain(`DeleteRegKey HKCU "${key}"`);
});

test('what the app registers with Windows goes with it, and its notifications are those of its shortcut', async () => {
  const app = await read('src/main/hosts/electron/app.ts');
  const told = (what: string) => new RegExp(`${what}\\('([^']+)'\\)`).exec(app)?.[1];
  const [, uninstall = ''] = (await read('resources/installer.nsh')).split(
    '!macro customUnInstall',
  );
  const activator = told('setToastActivatorCLSID') ?? 'none';
  expect(uninstall).toContain(`DeleteRegKey HKCU "Software\\Classes\\CLSID\\${activator}"`);
  expect(uninstall).toContain('DeleteRegKey HKCU "Software\\Classes\\lathe"');
  const { appId } = z
    .object({ appId: z.string() })
    .parse(parse(await read('electron-builder.yml')));
  expect(told('setAppUserModelId')).toBe(appId);
});
