import { safeStorage } from 'electron';
import { err, fault, ok } from '../../../shared/result';
import type { KeyStore } from '../../app/key-store';
import type { Files, SecretFile } from '../../engine/ports';
import { createKeyFile } from '../common/key-file';
import { createSecretFile, type Protection, plainly } from '../common/secret-file';

/** The secrets that Lathe keeps for a user. */
export interface SafeStores {
  readonly keyStore: KeyStore;
  /** The sign-ins to tool servers. */
  readonly signIns: SecretFile;
}

/**
 * Keeps the key and the sign-ins in Lathe's home, encrypted with a secret of the system's keychain. Where there is none,
 * which is found out here, the key store says so and takes no key, and sign-ins are in a file that only the user can read.
 */
export async function openSafeStores(
  files: Files,
  latheHome: string,
  platform: NodeJS.Platform,
): Promise<SafeStores> {
  const safe = await isSafe(platform, 'probe');
  return {
    keyStore: createKeyFile(files, latheHome, {
      ...sealed('key.bin', platform),
      description: safe
        ? (NAMES[platform] ?? 'the system keychain')
        : 'no file: this system has no keychain',
    }),
    signIns: createSecretFile(
      files,
      latheHome,
      safe ? sealed('sign-ins.bin', platform) : plainly('sign-ins.json'),
    ),
  };
}

const sealed = (fileName: string, platform: NodeJS.Platform): Protection => ({
  fileName,
  protect: async (text) => {
    const bytes = await seal(platform, text);
    return bytes === null ? err(NO_KEYCHAIN) : ok(bytes);
  },
  async reveal(bytes) {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes));
    // The keychain has a newer secret; the old one still opens the file for now.
    return { text: result, outdated: shouldReEncrypt };
  },
});

const NAMES: Partial<Record<NodeJS.Platform, string>> = {
  win32: 'a file that only your Windows account can open',
};

const NO_KEYCHAIN = fault(
  'no_keychain',
  'This system has no keychain that Lathe could keep the key in.',
  'Set up GNOME Keyring or KWallet, or set ANTHROPIC_API_KEY before starting Lathe.',
);

/** The mark of what Chromium sealed with its fixed password, for want of a keychain (`os_crypt`, Linux). */
const FIXED_PASSWORD = 'v10';

/**
 * Seals a text; null where that would protect nothing. The sealed text itself tells: the name of the desktop says neither
 * that a keychain is there nor that there is none.
 */
async function seal(platform: NodeJS.Platform, text: string): Promise<Buffer | null> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return null;
  const sealed = await safeStorage.encryptStringAsync(text);
  const fixed = platform === 'linux' && sealed.subarray(0, 3).toString('latin1') === FIXED_PASSWORD;
  return fixed ? null : sealed;
}

const isSafe = async (platform: NodeJS.Platform, probe: string): Promise<boolean> =>
  (await seal(platform, probe).catch(() => null)) !== null;
