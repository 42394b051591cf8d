import { join } from 'node:path';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { replaceFile } from '../../engine/damaged-file';
import type { Files, SecretFile } from '../../engine/ports';

/** The protection of a secret text on the disk. */
export interface Protection {
  /** The file's name in Lathe's home. */
  readonly fileName: string;
  /** Returns what to write for `text`, or why this system cannot protect it. May throw. */
  protect(text: string): Promise<Result<Uint8Array | string>>;
  /** The file holds the text itself: a copy is kept of one that holds something else. */
  readonly isPlain?: true;
  /** Returns the text behind `bytes`, and whether it should be protected anew. Throws when it cannot be read. */
  reveal(bytes: Uint8Array): Promise<{ readonly text: string; readonly outdated: boolean }>;
}

/** The longest secret text. Bytes. */
const MAX_BYTES = 1024 * 1024;

/** Protects a text by the mode of its file alone. */
export const plainly = (fileName: string): Protection => ({
  fileName,
  isPlain: true,
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
  const write: SecretFile['write'] = async (text, isOurs) => {
    try {
      const data = await protection.protect(text);
      if (!data.ok) return data;
      const written = await replaceFile(
        files,
        path,
        data.value,
        (bytes) => protection.isPlain !== true || isOurs(new TextDecoder().decode(bytes)),
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
        if (outdated) await write(text, () => true);
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
