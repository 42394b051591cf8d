import { randomFillSync, randomUUID } from 'node:crypto';
import type { Clock, Ids, Random } from '../engine/ports';

/** The longest delay a Node timer can hold (2³¹ − 1 ms); beyond it Node fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Creates the system's clock. Its time never goes back: while the system's own is set back, it goes on from where it was,
 * so that nothing takes less than no time. `wall` and `steady` are milliseconds; the second one only ever grows.
 */
export function createNodeClock(
  wall: () => number = Date.now,
  steady: () => number = () => performance.now(),
): Clock {
  let last = { at: wall(), steady: steady() };
  return {
    now: () => {
      const passed = steady();
      const at = wall();
      last = {
        at: at >= last.at ? at : last.at + Math.max(0, Math.floor(passed - last.steady)),
        steady: passed,
      };
      return last.at;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
        signal?.addEventListener('abort', end, { once: true });
      }),
  };
}

/** 60 bits: short enough for a model to type, long enough never to occur twice in one session. */
const RANDOM_CHARS = 12;

/** Letters and digits without those that look alike (Crockford's base 32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Asked of the system at a time, which costs a hundred times what taking some of them does. Bytes. */
const RANDOM_POOL = 1_200;

/** Creates random identifiers: `next('b')` → `b_4k2…` (12 characters after the prefix). */
export function createNodeIds(): Ids {
  const pool = new Uint8Array(RANDOM_POOL);
  let used = pool.length;
  const randomText = (): string => {
    if (used + RANDOM_CHARS > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.subarray(used, used + RANDOM_CHARS);
    used += RANDOM_CHARS;
    return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  };
  return { next: (prefix) => `${prefix}_${randomText()}`, uuid: () => randomUUID() };
}

/** Creates random numbers for jitter; not for secrets. */
export const createNodeRandom = (): Random => () => Math.random();
