import type { Dial, Transport } from './transport';

/** The page asks for a sign of life this long after the last one, in milliseconds. */
const EVERY_MS = 1_500;

/** Time the host has to give it. With the pause before, a dead connection is noticed in 5 s. Milliseconds. */
const LIMIT_MS = 3_000;

/** Time to read what came while the page itself was busy or asleep. Milliseconds. */
const GRACE_MS = 250;

/** Resolves after the time, or at once when aborted. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Closes each connection of `dial` whose host falls silent: a network that swallows everything closes no socket, and
 * neither does a host that hangs.
 */
export const withHeartbeat =
  (dial: Dial, wait: Wait): Dial =>
  async (signal) => {
    const dialled = await dial(signal);
    if (dialled.ok) {
      const stop = new AbortController();
      dialled.value.onClosed(() => stop.abort());
      void closeWhenSilent(dialled.value, wait, stop.signal);
    }
    return dialled;
  };

/** Never rejects; ends with the connection. */
async function closeWhenSilent(
  transport: Transport,
  wait: Wait,
  closed: AbortSignal,
): Promise<void> {
  while (!closed.aborted) {
    await wait(EVERY_MS, closed);
    if (closed.aborted) return;
    const given = new AbortController();
    const answered = transport.client.app.ping(undefined, { signal: closed }).then(
      () => true,
      // An error is a sign of life too; a connection that ended tells so by itself.
      () => true,
    );
    const silent = wait(LIMIT_MS, AbortSignal.any([closed, given.signal]))
      .then(() => wait(GRACE_MS, AbortSignal.any([closed, given.signal])))
      .then(() => false);
    const alive = await Promise.race([answered, silent]);
    given.abort();
    if (!alive) transport.close();
  }
}
