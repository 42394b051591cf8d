import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openSafeStores } from '../../../src/main/hosts/electron/safe-key-store';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

/** A stand-in for the system's encryption. */
const system = vi.hoisted(() => {
  // Files share modules, and another one may have loaded these with an Electron of its own.
  vi.resetModules();
  return {
    available: true,
    /** The mark before a sealed text: of a keychain's secret, or of Chromium's fixed password. */
    mark: 'v11',
    secret: 0x5a,
    /** The keychain has a newer secret than the one that sealed the file. */
    outdated: false,
    breaks: false,
  };
});

vi.mock('electron', () => ({
  safeStorage: {
    isAsyncEncryptionAvailable: async () => system.available,
    encryptStringAsync: async (text: string) => {
      if (system.breaks) throw new Error('The keychain is locked');
      const sealed = Buffer.from(text).map((byte) => byte ^ system.secret);
      return Buffer.concat([Buffer.from(system.mark), Buffer.from([system.secret]), sealed]);
    },
    decryptStringAsync: async (bytes: Buffer) => ({
      result: Buffer.from(bytes.subarray(4).map((byte) => byte ^ (bytes[3] ?? 0))).toString(),
      shouldReEncrypt: system.outdated,
    }),
  },
}));

const KEY = { key: 'sk-secret', baseUrl: 'https://models.example' };

beforeEach(() => {
  Object.assign(system, {
    ...{ available: true, mark: 'v11', secret: 0x5a, outdated: false, breaks: false },
  });
});

async function open(platform: NodeJS.Platform, home?: string) {
  const folder = home ?? (await tempFolder());
  return { folder, ...(await openSafeStores(createNodeFiles(), folder, platform)) };
}

test.each<[string, NodeJS.Platform, Partial<typeof system>, string]>([
  ['a keychain', 'linux', {}, 'the system keychain'],
  ['Chromium’s fixed password', 'linux', { mark: 'v10' }, 'no file'],
  // There it is the mark of the keychain itself.
  ['the keychain of macOS', 'darwin', { mark: 'v10' }, 'the system keychain'],
  ['the account of Windows', 'win32', {}, 'a file that only your Windows account can open'],
  ['nothing', 'win32', { available: false }, 'no file'],
  ['a keychain that stays locked', 'linux', { breaks: true }, 'no file'],
])(
  'with %s (%s) the form says where a key goes before it is entered',
  async (_, platform, is, says) => {
    Object.assign(system, is);
    const { folder, keyStore, signIns } = await open(platform);
    const keeps = !says.startsWith('no file');
    expect(keyStore.describe()).toContain(says);
    expect((await keyStore.set(KEY)).ok).toBe(keeps);
    expect((await signIns.write('{"server":"token"}', () => true)).ok).toBe(true);
    // A sign-in can be had again: without a keychain only the mode of its file keeps it.
    expect((await readdir(folder)).sort()).toEqual(
      keeps ? ['key.bin', 'sign-ins.bin'] : ['sign-ins.json'],
    );
  },
);

test('a key comes back as it was given, and lies sealed anew when the keychain has a newer secret', async () => {
  const { folder, keyStore } = await open('linux');
  await keyStore.set(KEY);
  const sealed = () => readFile(join(folder, 'key.bin'), 'latin1');
  const first = await sealed();
  expect(first).not.toContain('sk-secret');
  const { keyStore: later } = await open('linux', folder);
  expect(await later.get()).toEqual(KEY);
  expect(await sealed()).toBe(first);
  Object.assign(system, { secret: 0x3c, outdated: true });
  expect(await later.get()).toEqual(KEY);
  const second = await sealed();
  expect(second).not.toBe(first);
  system.outdated = false;
  expect(await later.get()).toEqual(KEY);
});
