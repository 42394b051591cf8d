import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../shared/result';
import type { AppendFile, FileFault } from '../engine/ports';
import { fileFault } from './file-fault';

/**
 * Opens a file for appending and makes missing folders. A new file is readable by its owner only (0600).
 * Appends queue behind each other, so their order is the order of the calls. Throws when it cannot be opened.
 */
export async function openAppendFile(path: string): Promise<AppendFile> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'a', 0o600);
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  const write = async (data: string): Promise<Result<null, FileFault>> => {
    try {
      await handle.appendFile(data);
      return ok(null);
    } catch (thrown) {
      return err(fileFault(path, thrown));
    }
  };

  return {
    append: (data) => {
      if (closed) {
        return Promise.resolve(
          err({ code: 'other', path, message: `${path} was closed already.` } as const),
        );
      }
      const written = last.then(() => write(data));
      last = written;
      return written;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await last;
      await handle.close();
    },
  };
}
