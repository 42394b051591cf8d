import { safeStorage } from 'electron';
import { err, fault, ok } from '../../../shared/result';
import type { KeyStore } from '../../app/key-store';
import type { Files } from '../../engine/ports';
import { createKeyFile } from '../common/key-file';

/** Keeps the key in `key.bin` in Lathe's home, encrypted with a secret of the system's keychain. */
export const safeKeyStore = (
  files: Files,
  latheHome: string,
  platform: NodeJS.Platform,
): KeyStore =>
  createKeyFile(files, latheHome, {
    fileName: 'key.bin',
    description: 'the system keychain',
    protect: async (text) =>
      (await canEncrypt(platform))
        ? ok(await safeStorage.encryptStringAsync(text))
        : err(
            fault(
              'no_keychain',
              'This system has no keychain that Lathe could keep the key in.',
              'Set up GNOME Keyring or KWallet, or set ANTHROPIC_API_KEY before starting Lathe.',
            ),
          ),
    async reveal(bytes) {
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes));
      // The keychain has a newer secret; the old one still opens the file for now.
      return { text: result, outdated: shouldReEncrypt };
    },
  });

/** Chromium falls back to a fixed password on Linux without a keychain; that would be no encryption. */
async function canEncrypt(platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text')
    return false;
  return safeStorage.isAsyncEncryptionAvailable();
}
