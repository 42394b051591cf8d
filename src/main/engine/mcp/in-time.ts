import type { Clock } from '../ports';

/** The signal and the limit of a request, as the client of the protocol takes them. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Asks a server something, and gives it up when its time is over. Throws then. */
export async function inTime<T>(
  clock: Pick<Clock, 'sleep'>,
  timeout: number,
  signal: AbortSignal,
  ask: (options: AskOptions) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const over = new AbortController();
  const timer = clock.sleep(timeout, over.signal).then(() => {
    if (!over.signal.aborted)
      limit.abort(new Error(`It did not answer within ${timeout / 1000} s.`));
  });
  try {
    // The clock counts, not whoever is given the time.
    return await ask({ signal: AbortSignal.any([signal, limit.signal]), timeout: timeout * 2 });
  } catch (thrown) {
    throw limit.signal.aborted ? limit.signal.reason : thrown;
  } finally {
    over.abort();
    await timer;
  }
}
