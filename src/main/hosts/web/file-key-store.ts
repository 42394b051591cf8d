import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { err, fault, ok } from '../../../shared/result';
import type { KeyStore, StoredKey } from '../../app/key-store';

const FileShape = z.object({ key: z.string().min(1), baseUrl: z.string().optional() });

/** Keeps the key in `key.json` in Lathe's home, mode 0600, not encrypted (and says so). */
export function fileKeyStore(latheHome: string): KeyStore {
  const path = join(latheHome, 'key.json');
  return {
    describe: () => 'a file only you can read, not encrypted',
    get: () => read(path),
    async set(stored) {
      try {
        await writeFileAtomic(path, `${JSON.stringify(stored)}\n`, { mode: 0o600 });
        return ok(null);
      } catch (error) {
        return err(unusable(path, error));
      }
    },
    async clear() {
      try {
        await rm(path, { force: true });
        return ok(null);
      } catch (error) {
        return err(unusable(path, error));
      }
    },
  };
}

async function read(path: string): Promise<StoredKey | null> {
  try {
    const parsed = FileShape.safeParse(JSON.parse(await readFile(path, 'utf8')));
    if (!parsed.success) return null;
    const { key, baseUrl } = parsed.data;
    return baseUrl === undefined ? { key } : { key, baseUrl };
  } catch {
    return null;
  }
}

const unusable = (path: string, error: unknown) =>
  fault(
    'key_store',
    `The key could not be kept in ${path}: ${error instanceof Error ? error.message : String(error)}`,
    'Check the folder, or set ANTHROPIC_API_KEY instead.',
  );
