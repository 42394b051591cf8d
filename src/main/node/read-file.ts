import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens for reading without ever waiting: a named pipe without a writer would otherwise block for good.
 * The flag is absent on Windows, where files never block.
 */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** How a read went. `more`: the file has bytes beyond what was asked for. */
export type ReadOutcome =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly more: boolean }
  | { readonly kind: 'is_directory' | 'not_regular' };

/** Up to `length` bytes from `start`. Throws what the system throws. */
export async function readBytes(path: string, start: number, length: number): Promise<ReadOutcome> {
  const handle = await open(path, READ_FLAGS);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) return { kind: 'is_directory' };
    if (!found.isFile()) return { kind: 'not_regular' };
    // Files in /proc say they have 0 bytes: room for a little more than the size finds that out.
    const room = Math.min(length, Math.max(found.size - start, 0) + 4096);
    return await readUpTo(handle, start, length, room);
  } finally {
    await handle.close();
  }
}

async function readUpTo(
  handle: FileHandle,
  start: number,
  length: number,
  room: number,
): Promise<ReadOutcome> {
  let buffer = Buffer.allocUnsafe(room);
  let filled = 0;
  while (filled < length) {
    if (filled === buffer.length) buffer = grow(buffer, length);
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) return { kind: 'bytes', bytes: buffer.subarray(0, filled), more: false };
    filled += bytesRead;
  }
  const { bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, start + filled);
  return { kind: 'bytes', bytes: buffer.subarray(0, filled), more: bytesRead > 0 };
}

function grow(buffer: Buffer, limit: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(limit, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}
