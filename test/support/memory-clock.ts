import type { Clock, Ids } from '../../src/main/engine/ports';

/** A clock that stands still until it is moved; sleepers wake when their time has come. */
export interface MemoryClock extends Clock {
  /** Moves time on and lets everything that waited go on. */
  advance(ms: number): Promise<void>;
  /** Sets the system's date back: the time goes on. */
  setBack(ms: number): void;
  /** How many wait now. */
  sleepers(): number;
}

/** Creates a clock at the given time. */
export function memoryClock(start = 1_000_000): MemoryClock {
  let now = start;
  let setTo = 0;
  let waiting: { until: number; wake: () => void }[] = [];
  return {
    now: () => now,
    date: () => now + setTo,
    setBack: (ms) => {
      setTo -= ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const entry = { until: now + ms, wake: resolve };
        waiting.push(entry);
        signal?.addEventListener('abort', () => {
          waiting = waiting.filter((other) => other !== entry);
          resolve();
        });
      }),
    advance: async (ms) => {
      now += ms;
      const due = waiting.filter((entry) => entry.until <= now);
      waiting = waiting.filter((entry) => entry.until > now);
      for (const entry of due) entry.wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
    sleepers: () => waiting.length,
  };
}

/** Ids that count up: `qry_1`, `msg_2`, … */
export function countingIds(): Ids {
  let count = 0;
  return {
    next: (prefix) => `${prefix}_${++count}`,
    uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
  };
}
