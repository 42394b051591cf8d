/** A look that took longer than this had to wait for a disk or a network, or its thread for a processor. Milliseconds. */
const SLOW_MS = 2;
/** After this many quick looks in a row a slow one was the processor's fault: a slow disk is not quick that often. */
const TRUSTED_AFTER = 20;
/**
 * After any other slow look, this long every look is left to another thread: at first, and at most. Each slow look in a row
 * doubles it, so that a slow disk is soon left alone and a busy processor forgotten. Milliseconds.
 */
const FIRST_CAUTION_MS = 100;
const LONGEST_CAUTION_MS = 10_000;

/** Looks something up by `quick`, which blocks, or by `patient`, which does not. Throws or rejects with what either throws. */
export type QuickLook = <T>(quick: () => T, patient: () => Promise<T>) => T | Promise<T>;

/**
 * Looks at the disk at once as long as it answers at once: that takes a few microseconds, asking another thread ten times as
 * many. A slow answer (a network folder, a disk asleep) and nothing blocks for a while. `now` is monotonic, in milliseconds.
 */
export function createQuickLook(now: () => number = () => performance.now()): QuickLook {
  let cautiousUntil = Number.NEGATIVE_INFINITY;
  let cautionMs = FIRST_CAUTION_MS;
  let quickInARow = 0;
  return (quick, patient) => {
    const startedAt = now();
    if (startedAt < cautiousUntil) return patient();
    try {
      return quick();
    } finally {
      const endedAt = now();
      const slow = endedAt - startedAt > SLOW_MS;
      if (quickInARow >= TRUSTED_AFTER) cautionMs = FIRST_CAUTION_MS;
      else if (slow) {
        cautiousUntil = endedAt + cautionMs;
        cautionMs = Math.min(cautionMs * 2, LONGEST_CAUTION_MS);
      }
      quickInARow = slow ? 0 : quickInARow + 1;
    }
  };
}
