import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { err, ok, type Result } from '../../shared/result';
import type { AppendFile, FileFault } from '../engine/ports';
import { fileFault } from './file-fault';

/**
 * Opens a file for appending and makes missing folders. What is new is its owner's only (0600, folders 0700).
 * Each append is with the system before the call returns: a few microseconds, where asking another thread takes ten times
 * as long, and nothing that was appended is lost should the process die right after. It resolves at the end of this round of
 * the event loop: what has been read by then is dealt with before whoever waited goes on. Throws when it cannot be opened.
 */
export async function openAppendFile(path: string): Promise<AppendFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const descriptor = openSync(path, 'a', 0o600);
  let closed = false;

  const write = (data: string): Result<null, FileFault> => {
    if (closed) return err({ code: 'other', path, message: `${path} was closed already.` });
    try {
      const bytes = Buffer.from(data);
      for (let at = 0; at < bytes.byteLength; ) at += writeSync(descriptor, bytes, at);
      return ok(null);
    } catch (thrown) {
      return err(fileFault(path, thrown));
    }
  };

  return {
    append: async (data) => {
      const written = write(data);
      await nextLoop();
      return written;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      closeSync(descriptor);
    },
  };
}
