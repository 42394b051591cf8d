import { join } from 'node:path';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { holdsJson, replaceFile } from '../../engine/damaged-file';
import type { Files, SecretFile } from '../../engine/ports';

/** The protection of a secret text on the disk. */
export interface Protection {
  /** The file's name in Lathe's home. */
  readonly fileName: string;
  /** Returns what to write for `text`, or why this system cannot protect it. May throw. */
  protect(text: string): Promise<Result<Uint8Array | string>>;
  /** Tells whether a file holds what was written: a copy is kept of one that does not. Absent where nothing can tell. */
  readonly isWhole?: (bytes: Uint8Array) => boolean;
  /** Returns the text behind `bytes`, and whether it should be protected anew. Throws when it cannot be read. */
  reveal(bytes: Uint8Array): Promise<{ readonly text: string; readonly outdated: boolean }>;
}

/** The longest secret text. Bytes. */
const MAX_BYTES = 1024 * 1024;

/** Protects a text by the mode of its file alone. */
export const plainly = (fileName: string): Protection => ({
  fileName,
  isWhole: holdsJson,
  protect: async (text) => ok(`${text}\n`),
  reveal: async (bytes) => ({ text: Buffer.from(bytes).toString('utf8'), outdated: false }),
});

/** Keeps a text in one file of mode 0600 in Lathe's home; `unusable` says that it could not be kept. */
export function createSecretFile(
  files: Files,
  latheHome: string,
  protection: Protection,
  unusable: (why: string) => Fault = cannotKeep,
): SecretFile & { remove(): Promise<Result<null>> } {
  const path = join(latheHome, protection.fileName);
  const write = async (text: string): Promise<Result<null>> => {
    try {
      const data = await protection.protect(text);
      if (!data.ok) return data;
      const written = await replaceFile(
        files,
        path,
        data.value,
        protection.isWhole ?? (() => true),
      );
      return written.ok ? written : err(unusable(written.error.message));
    } catch (error) {
      return err(unusable(error instanceof Error ? error.message : String(error)));
    }
  };
  return {
    write,
    async read() {
      try {
        const read = await files.read(path, MAX_BYTES);
        if (!read.ok) return null;
        const { text, outdated } = await protection.reveal(read.value);
        if (outdated) await write(text);
        return text;
      } catch {
        return null;
      }
    },
    async remove() {
      const removed = await files.remove(path);
      return removed.ok || removed.error.code === 'not_found'
        ? ok(null)
        : err(unusable(removed.error.message));
    },
  };
}

const cannotKeep = (why: string): Fault =>
  fault('secret_file', `It could not be kept: ${why}`, 'Check that Lathe’s folder can be written.');
