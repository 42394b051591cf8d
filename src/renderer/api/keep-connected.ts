import type { Fault } from '../../shared/result';
import { type Dial, NOT_ADMITTED, type Transport } from './transport';

/** The state of the page's connection to the host. `attempt` counts failed tries in a row, from 1. */
export type LinkStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'lost'; readonly attempt: number; readonly fault: Fault }
  | { readonly kind: 'refused'; readonly fault: Fault };

/** The first wait doubles up to ten seconds: quick after a blip, quiet when the host is down. */
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

/** Returns the pause before try `attempt` (from 1), in milliseconds. */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_DELAY_MS);

/** The dependencies of {@link keepConnected}. */
interface LinkKeeper {
  readonly dial: Dial;
  /** Resolves after the time, or at once when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  onStatus(status: LinkStatus): void;
  /** Gets every new transport; the last one is already closed then. */
  onTransport(transport: Transport): void;
}

const LOST: Fault = {
  code: 'lost',
  message: 'The connection was lost.',
  fix: 'Lathe goes on working; this page reconnects by itself.',
};

/** Dials until it holds a connection, and again whenever that is lost. Ends when aborted or turned away. */
export async function keepConnected(keeper: LinkKeeper, signal: AbortSignal): Promise<void> {
  keeper.onStatus({ kind: 'connecting' });
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const dialled = await keeper.dial(signal);
    if (signal.aborted) {
      if (dialled.ok) dialled.value.close();
      return;
    }
    if (dialled.ok) {
      await useUntilClosed(keeper, dialled.value, signal);
      attempt = 0;
      keeper.onStatus({ kind: 'lost', attempt: 1, fault: LOST });
    } else if (dialled.error.code === NOT_ADMITTED) {
      keeper.onStatus({ kind: 'refused', fault: dialled.error });
      return;
    } else {
      keeper.onStatus({ kind: 'lost', attempt, fault: dialled.error });
    }
    await keeper.wait(reconnectDelayMs(Math.max(attempt, 1)), signal);
  }
}

function useUntilClosed(
  keeper: LinkKeeper,
  transport: Transport,
  signal: AbortSignal,
): Promise<void> {
  keeper.onStatus({ kind: 'connected' });
  keeper.onTransport(transport);
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  return new Promise((resolve) => {
    transport.onClosed(() => {
      signal.removeEventListener('abort', close);
      resolve();
    });
    if (signal.aborted) close();
  });
}

/** Resolves after `ms` milliseconds, or at once when the signal is aborted. Never rejects. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}

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

/**
 * Closes a connection once its host gives no sign of life in time. Anything that is read from it is one: where much comes and
 * the page is slow, the answer stands behind all that. Never rejects; ends with the connection.
 */
async function closeWhenSilent(
  transport: Transport,
  wait: Wait,
  closed: AbortSignal,
): Promise<void> {
  while (!closed.aborted) {
    await wait(EVERY_MS, closed);
    if (closed.aborted) return;
    const given = new AbortController();
    const before = transport.heard();
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
    if (!alive && transport.heard() === before) transport.close();
  }
}
