import { setTimeout as sleep } from 'node:timers/promises';

/** A process that ends takes a few milliseconds; it is looked at about as often. */
const LOOK_MS = 5;

/** Resolves when a process is gone, or after `limitMs`. Null: there was none. */
export async function processGone(pid: number | null, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (pid !== null && isThere(pid) && performance.now() < end) await sleep(LOOK_MS);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
