import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { safeStorage } from 'electron';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { err, fault, ok } from '../../../shared/result';
import type { KeyStore, StoredKey } from '../../app/key-store';

const Stored = z.object({ key: z.string().min(1), baseUrl: z.string().optional() });

/** Keeps the key in `key.bin` in Lathe's home, encrypted with a secret of the system's keychain. */
export function safeKeyStore(latheHome: string, platform: NodeJS.Platform): KeyStore {
  const path = join(latheHome, 'key.bin');
  return {
    describe: () => 'the system keychain',
    get: () => read(path),
    async set(stored) {
      if (!(await canEncrypt(platform))) return err(noKeychain());
      try {
        await write(path, JSON.stringify(stored));
        return ok(null);
      } catch (error) {
        return err(unusable(error));
      }
    },
    async clear() {
      try {
        await rm(path, { force: true });
        return ok(null);
      } catch (error) {
        return err(unusable(error));
      }
    },
  };
}

/** Chromium falls back to a fixed password on Linux without a keychain; that would be no encryption. */
async function canEncrypt(platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text')
    return false;
  return safeStorage.isAsyncEncryptionAvailable();
}

async function write(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, await safeStorage.encryptStringAsync(text), { mode: 0o600 });
}

async function read(path: string): Promise<StoredKey | null> {
  try {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(await readFile(path));
    // The keychain has a newer secret; the old one still opens the file for now.
    if (shouldReEncrypt) await write(path, result).catch(() => {});
    const parsed = Stored.safeParse(JSON.parse(result));
    if (!parsed.success) return null;
    const { key, baseUrl } = parsed.data;
    return baseUrl === undefined ? { key } : { key, baseUrl };
  } catch {
    return null;
  }
}

const noKeychain = () =>
  fault(
    'no_keychain',
    'This system has no keychain that Lathe could keep the key in.',
    'Set up GNOME Keyring or KWallet, or set ANTHROPIC_API_KEY before starting Lathe.',
  );

const unusable = (error: unknown) =>
  fault(
    'key_store',
    `The key could not be kept: ${error instanceof Error ? error.message : String(error)}`,
    'Check the system keychain, or set ANTHROPIC_API_KEY before starting Lathe.',
  );
