import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostPlace } from '../run-folder';

/** Starting takes milliseconds; a lock older than this belongs to a host that died while it started. */
const STALE_MS = 5_000;
const RETRY_MS = 20;

/**
 * Lets only one host at a time look whether another is running and take its place: between "nobody answers"
 * and "I listen" no other may come. The lock is a folder, because making one is atomic everywhere.
 */
export async function withStartLock<T>(place: HostPlace, act: () => Promise<T>): Promise<T> {
  const lock = `${place.record}.lock`;
  while (!(await take(lock))) {
    await breakStale(lock);
    await sleep(RETRY_MS);
  }
  try {
    return await act();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function breakStale(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => null);
  if (found === null || Date.now() - found.mtimeMs < STALE_MS) return;
  const aside = `${lock}.${process.pid}`;
  try {
    await rename(lock, aside);
  } catch {
    // Another waiter was quicker.
    return;
  }
  const moved = await stat(aside).catch(() => null);
  // A fresh lock that took the stale one's place in between goes back.
  if (moved !== null && moved.ino !== found.ino) await rename(aside, lock).catch(() => undefined);
  else await rm(aside, { recursive: true, force: true });
}
