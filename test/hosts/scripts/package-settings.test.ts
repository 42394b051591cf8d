import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

// What nobody sees before a package is installed, and what only whole systems could try.

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (name: string) => readFile(join(ROOT, name), 'utf8');

const Builder = z.object({
  publish: z.unknown(),
  asarUnpack: z.array(z.string()),
  toolsets: z.object({ appimage: z.string() }),
  electronFuses: z.object({ resetAdHocDarwinSignature: z.boolean() }),
  nsis: z.object({ perMachine: z.boolean() }),
  win: z.object({ icon: z.string() }),
  mac: z.object({
    icon: z.string(),
    identity: z.string().optional(),
    target: z.array(z.string()),
    entitlements: z.string(),
    entitlementsInherit: z.string(),
    extendInfo: z.looseObject({
      CFBundleDocumentTypes: z.array(
        z.object({ LSHandlerRank: z.string(), LSItemContentTypes: z.array(z.string()) }),
      ),
    }),
  }),
  linux: z.object({
    mimeTypes: z.array(z.string()).optional(),
    target: z.array(z.string()),
    executableArgs: z.array(z.string()).optional(),
    syncDesktopName: z.boolean(),
  }),
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

test('macOS and Windows hand folders over, and the uninstaller takes that back', async () => {
  const { mac } = await builder();
  expect(mac.extendInfo.CFBundleDocumentTypes).toMatchObject([
    { LSHandlerRank: 'Alternate', LSItemContentTypes: ['public.folder'] },
  ]);
  const [install = '', uninstall = ''] = (await read('resources/installer.nsh')).split(
    '!macro customUnInstall',
  );
  const written = [...install.matchAll(/WriteRegStr HKCU "([^"]+?)(?:\\command)?"/g)];
  expect(written.length).toBeGreaterThan(0);
  for (const [, key = ''] of written) expect(uninstall).toContain(`DeleteRegKey HKCU "${key}"`);
});

test('Linux is told of no folders: an app that names their type may become their usual program there', async () => {
  expect((await builder()).linux.mimeTypes).toBeUndefined();
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

/** The runtimes of AppImages that electron-builder knows, oldest first. */
const { appimageChecksums }: { readonly appimageChecksums: object } = createRequire(
  import.meta.url,
)('app-builder-lib/out/toolsets/linux');

test('the AppImage has the newest runtime: the default one needs FUSE 2 and starts without the sandbox', async () => {
  const { toolsets, linux } = await builder();
  expect(toolsets.appimage).toBe(Object.keys(appimageChecksums).at(-1));
  expect(toolsets.appimage).not.toBe('0.0.0');
  expect(linux.executableArgs ?? []).not.toContain('--no-sandbox');
  // A bare archive would set up neither the sandbox nor a menu.
  expect(linux.target).toEqual(['AppImage', 'deb', 'rpm']);
});

test('on Linux windows, badge and menu entry belong together by one name', async () => {
  const { desktopName } = z
    .object({ desktopName: z.string() })
    .parse(JSON.parse(await read('package.json')));
  expect(desktopName).toBe('lathe.desktop');
  expect((await builder()).linux.syncDesktopName).toBe(true);
});

test('on macOS an app without a certificate starts, and programs in terminals may ask for what they need', async () => {
  const { electronFuses, mac, asarUnpack } = await builder();
  expect(electronFuses.resetAdHocDarwinSignature).toBe(true);
  expect(mac.target).toEqual(['dmg', 'zip']);
  expect(mac.entitlementsInherit).toBe(mac.entitlements);
  const entitlements = await read(mac.entitlements);
  for (const [entitlement, why] of [
    ['automation.apple-events', 'NSAppleEventsUsageDescription'],
    ['device.camera', 'NSCameraUsageDescription'],
    ['device.audio-input', 'NSMicrophoneUsageDescription'],
  ] as const) {
    expect(entitlements).toMatch(
      new RegExp(`com\\.apple\\.security\\.${entitlement}</key>\\s*<true/>`),
    );
    // Without a text the system ends the program that asks.
    expect(mac.extendInfo[why]).toEqual(expect.stringMatching(/\w/));
  }
  for (const name of ['node-pty', '@vscode/ripgrep'])
    expect(asarUnpack.some((pattern) => pattern.startsWith(`node_modules/${name}`))).toBe(true);
});

test('the icons of macOS and Windows lie in the repository, and the installer of Windows is for one user', async () => {
  const { mac, win, nsis } = await builder();
  const start = async (path: string) =>
    (await readFile(join(ROOT, path))).subarray(0, 4).toString('latin1');
  expect(await start(mac.icon)).toBe('icns');
  expect(await start(win.icon)).toBe('\0\0\u0001\0');
  expect(nsis.perMachine).toBe(false);
});
