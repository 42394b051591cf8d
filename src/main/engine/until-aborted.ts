/** Waits for an outcome, until the signal aborts. The work itself goes on. */
export async function untilAborted<T>(
  outcome: Promise<T>,
  signal: AbortSignal,
): Promise<T | 'aborted'> {
  if (signal.aborted) return 'aborted';
  const aborted = Promise.withResolvers<'aborted'>();
  const stop = () => aborted.resolve('aborted');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([outcome, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
