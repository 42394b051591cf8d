import { join } from 'node:path';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { KeyStore, StoredKey } from '../../app/key-store';
import type { Files } from '../../engine/ports';

/** The protection of a key file's text on the disk. */
export interface KeyProtection {
  /** The key file's name in Lathe's home. */
  readonly fileName: string;
  /** The way the key is kept, for people. */
  readonly description: string;
  /** Returns what to write for `text`, or why this system cannot protect it. May throw. */
  protect(text: string): Promise<Result<Uint8Array | string>>;
  /** Returns the text behind `bytes`, and whether it should be protected anew. Throws when it cannot be read. */
  reveal(bytes: Uint8Array): Promise<{ readonly text: string; readonly outdated: boolean }>;
}

const FileShape = z.object({ key: z.string().min(1), baseUrl: z.string().optional() });

/** A key file is a few hundred bytes long. Bytes. */
const MAX_BYTES = 64 * 1024;

/** Keeps the key in `key.json` in Lathe's home, mode 0600, not encrypted (and says so). */
export const plainKeyFile = (files: Files, latheHome: string): KeyStore =>
  createKeyFile(files, latheHome, {
    fileName: 'key.json',
    description: 'a file only you can read, not encrypted',
    protect: async (text) => ok(`${text}\n`),
    reveal: async (bytes) => ({ text: Buffer.from(bytes).toString('utf8'), outdated: false }),
  });

/** Creates a key store over one file of mode 0600 in Lathe's home. */
export function createKeyFile(
  files: Files,
  latheHome: string,
  protection: KeyProtection,
): KeyStore {
  const path = join(latheHome, protection.fileName);

  const write = async (text: string): Promise<Result<null>> => {
    try {
      const data = await protection.protect(text);
      if (!data.ok) return data;
      const written = await files.write(path, data.value, 0o600);
      return written.ok ? written : err(unusable(written.error.message));
    } catch (error) {
      return err(unusable(error instanceof Error ? error.message : String(error)));
    }
  };

  return {
    describe: () => protection.description,
    async get() {
      try {
        const read = await files.read(path, MAX_BYTES);
        if (!read.ok) return null;
        const { text, outdated } = await protection.reveal(read.value);
        if (outdated) await write(text);
        return parseKey(text);
      } catch {
        return null;
      }
    },
    set: (stored) => write(JSON.stringify(stored)),
    async clear() {
      const removed = await files.remove(path);
      return removed.ok || removed.error.code === 'not_found'
        ? ok(null)
        : err(unusable(removed.error.message));
    },
  };
}

function parseKey(text: string): StoredKey | null {
  const parsed = FileShape.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  const { key, baseUrl } = parsed.data;
  return baseUrl === undefined ? { key } : { key, baseUrl };
}

const unusable = (why: string) =>
  fault(
    'key_store',
    `The key could not be kept: ${why}`,
    'Check that Lathe’s folder can be written, or set ANTHROPIC_API_KEY before starting Lathe.',
  );
