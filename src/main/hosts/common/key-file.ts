import { join } from 'node:path';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { KeyStore, StoredKey } from '../../app/key-store';
import type { Files } from '../../engine/ports';
import { type AppEnvironment, composeOptions } from './app-environment';
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

/** Returns what wiring the app needs of the environment, with keys kept in {@link plainKeyFile}. */
export const withKeyFile = (environment: AppEnvironment, files: Files) => ({
  ...composeOptions(environment),
  keyStore: plainKeyFile(files, environment.latheHome),
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
    set: (stored) => file.write(JSON.stringify(stored), (text) => parseKey(text) !== null),
    clear: file.remove,
  };
}

/** The files of keys in Lathe's home: the plain one, the app's sealed one (`key.bin`), and copies of damaged ones. */
const KEY_FILE = /^key\.(?:json|bin)(?:\.damaged(?:-\d+)?)?$/;

/** Removes every key that was entered, the app's sealed one too; gives the paths of the files that are gone. */
export async function forgetKeys(
  files: Pick<Files, 'list' | 'remove'>,
  latheHome: string,
): Promise<Result<readonly string[]>> {
  const listed = await files.list(latheHome);
  if (!listed.ok && listed.error.code !== 'not_found')
    return err(notForgotten(latheHome, listed.error.message));
  const removed: string[] = [];
  for (const { name, kind } of listed.ok ? listed.value : []) {
    if (kind === 'directory' || !KEY_FILE.test(name)) continue;
    const path = join(latheHome, name);
    const gone = await files.remove(path);
    if (gone.ok) removed.push(path);
    else if (gone.error.code !== 'not_found') return err(notForgotten(path, gone.error.message));
  }
  return ok(removed);
}

const notForgotten = (path: string, why: string) =>
  fault('key_store', `A key is still kept in ${path}: ${why}`, 'Remove it there yourself.');

/** Tells whether bytes are a key as `key.json` holds it. */
export const holdsKey = (bytes: Uint8Array): boolean =>
  parseKey(new TextDecoder().decode(bytes)) !== null;

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
