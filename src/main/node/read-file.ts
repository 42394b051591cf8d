import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens for reading without ever waiting: a named pipe without a writer would otherwise block for good.
 * The flag is absent on Windows, where files never block.
 */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

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
    return await readFrom(handle, found.size, start, length);
  } finally {
    await handle.close();
  }
}

/** As {@link readBytes}, of an open regular file that says it has `size` bytes. */
export function readFrom(
  handle: FileHandle,
  size: number,
  start: number,
  length: number,
): Promise<Extract<ReadOutcome, { kind: 'bytes' }>> {
  // Files in /proc say they have 0 bytes: room for a little more than the size finds that out.
  const room = Math.min(length, Math.max(size - start, 0) + 4096);
  return readUpTo(handle, start, length, room, size);
}

async function readUpTo(
  handle: FileHandle,
  start: number,
  length: number,
  room: number,
  size: number,
): Promise<Extract<ReadOutcome, { kind: 'bytes' }>> {
  // One byte more than is asked for tells, in the same read, whether the file goes on.
  let buffer = Buffer.allocUnsafe(room + 1);
  let filled = 0;
  while (filled <= length) {
    if (filled === buffer.length) buffer = grow(buffer, length + 1);
    const asked = buffer.length - filled;
    const { bytesRead } = await handle.read(buffer, filled, asked, start + filled);
    filled += bytesRead;
    // A short read is the end of a file on a disk; in /proc only an empty one is.
    if (bytesRead === 0 || (bytesRead < asked && size > 0 && start + filled >= size)) break;
  }
  const bytes = buffer.subarray(0, Math.min(filled, length));
  return { kind: 'bytes', bytes, more: filled > length };
}

function grow(buffer: Buffer, limit: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(limit, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}
