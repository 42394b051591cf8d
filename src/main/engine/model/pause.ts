import type { Clock } from '../ports';

/** Waits that a person can cut short. */
export interface Pause {
  /** Waits so long (milliseconds), until it is hurried, or until the signal aborts. Never fails. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the wait that goes on; false when there is none. */
  readonly hurry: () => boolean;
}

/** Creates one; at most one wait goes on at a time. */
export function createPause(clock: Pick<Clock, 'sleep'>): Pause {
  let current: AbortController | null = null;
  return {
    wait: async (ms, signal) => {
      const hurried = new AbortController();
      current = hurried;
      await clock.sleep(ms, AbortSignal.any([signal, hurried.signal]));
      if (current === hurried) current = null;
    },
    hurry: () => {
      current?.abort();
      return current !== null;
    },
  };
}
