import { randomFillSync, randomUUID } from 'node:crypto';
import type { Clock, Ids, Random } from '../engine/ports';

/**
 * Timers stand still while the system sleeps, the wall clock does not: a longer wait looks at it this often, so that it is
 * over soon after the lid opens. Milliseconds.
 */
const LOOK_EVERY_MS = 10_000;

/**
 * Creates the system's clock. Its time never goes back: while the system's own is set back, it goes on from where it was,
 * so that nothing takes less than no time; only its date goes back. `wall` and `steady` are milliseconds; the second one only ever grows.
 */
export function createNodeClock(
  wall: () => number = Date.now,
  steady: () => number = () => performance.now(),
): Clock {
  let last = { at: wall(), steady: steady() };
  const now = () => {
    const passed = steady();
    const at = wall();
    last = {
      at: at >= last.at ? at : last.at + Math.max(0, Math.floor(passed - last.steady)),
      steady: passed,
    };
    return last.at;
  };
  return {
    now,
    date: wall,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const until = ms > LOOK_EVERY_MS ? now() + ms : 0;
        const look = () => {
          const left = until - now();
          if (left <= 0) end();
          else timer = setTimeout(look, Math.min(left, LOOK_EVERY_MS));
        };
        let timer =
          ms > LOOK_EVERY_MS ? setTimeout(look, LOOK_EVERY_MS) : setTimeout(end, Math.max(ms, 0));
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
