import type { Clock } from '../engine/ports';

/** The longest delay a Node timer can hold (2³¹ − 1 ms); beyond it Node fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The system's clock. */
export function createNodeClock(): Clock {
  return {
    now: () => Date.now(),
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
