import { z } from 'zod';
import { fault } from '../../../shared/result';
import type { KeyStore, StoredKey } from '../../app/key-store';
import type { Files } from '../../engine/ports';
import { createSecretFile, type Protection, plainly } from './secret-file';

/** The protection of a key file, and how the key is kept with it, for people. */
export interface KeyProtection extends Protection {
  readonly description: string;
}

const FileShape = z.object({ key: z.string().min(1), baseUrl: z.string().optional() });

/** Keeps the key in `key.json` in Lathe's home, mode 0600, not encrypted (and says so). */
export const plainKeyFile = (files: Files, latheHome: string): KeyStore =>
  createKeyFile(files, latheHome, {
    ...plainly('key.json'),
    description: 'a file only you can read, not encrypted',
  });

/** Creates a key store over one file of mode 0600 in Lathe's home. */
export function createKeyFile(
  files: Files,
  latheHome: string,
  protection: KeyProtection,
): KeyStore {
  const file = createSecretFile(files, latheHome, protection, unusable);
  return {
    describe: () => protection.description,
    get: async () => parseKey(await file.read()),
    set: (stored) => file.write(JSON.stringify(stored)),
    clear: file.remove,
  };
}

function parseKey(text: string | null): StoredKey | null {
  try {
    const parsed = FileShape.safeParse(JSON.parse(text ?? 'null'));
    if (!parsed.success) return null;
    const { key, baseUrl } = parsed.data;
    return baseUrl === undefined ? { key } : { key, baseUrl };
  } catch {
    return null;
  }
}

const unusable = (why: string) =>
  fault(
    'key_store',
    `The key could not be kept: ${why}`,
    'Check that Lathe’s folder can be written, or set ANTHROPIC_API_KEY before starting Lathe.',
  );
