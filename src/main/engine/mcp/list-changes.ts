import type { Clock } from '../ports';

/** The shortest time between two looks at what a server says has changed. Milliseconds. */
export const LOOK_AGAIN_AFTER_MS = 250;

/** Looks again at what a server says has changed, however often it says so. */
export interface ListChanges {
  /** Notes that it has changed. */
  note(): void;
  /** Begins to look; what was noted before counts. */
  begin(): void;
}

/**
 * Creates what looks again: one look at a time, none sooner than {@link LOOK_AGAIN_AFTER_MS} after another, and the last one begun
 * after the last change. A look that fails is not repeated. It ends with `signal`.
 */
export function createListChanges(
  look: () => Promise<void> | void,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): ListChanges {
  let isNoted = false;
  let isReady = false;
  let isLooking = false;
  const go = async () => {
    isLooking = true;
    while (isNoted && !signal.aborted) {
      isNoted = false;
      try {
        await look();
      } catch {
        // The server said that it has another list, and gives none: the one before stays.
      }
      await clock.sleep(LOOK_AGAIN_AFTER_MS, signal);
    }
    isLooking = false;
  };
  const start = () => {
    if (isReady && isNoted && !isLooking) go().catch(() => {});
  };
  return {
    note: () => {
      isNoted = true;
      start();
    },
    begin: () => {
      isReady = true;
      start();
    },
  };
}
