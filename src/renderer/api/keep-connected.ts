import { type Fault, ok, type Result } from '../../shared/result';
import { type Dial, NOT_ADMITTED, type Transport, type Waiting } from './transport';

/** The state of the page's connection to the host. `attempt` counts failed tries in a row, from 1. */
export type LinkStatus =
  /** `waiting` when the host is there but serves nothing yet. */
  | { readonly kind: 'connecting'; readonly waiting?: Waiting }
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
  /** Hears that the transport in use, which had fallen silent, goes on. */
  onBack(): void;
}

const LOST: Fault = {
  code: 'lost',
  message: 'The connection was lost.',
  fix: 'Lathe goes on working; this page reconnects by itself.',
};

/**
 * Dials until it holds a connection, and again whenever that is lost or falls silent. A silent one is kept until another is
 * answered: a host that was only busy or suspended goes on with it. Ends when aborted or turned away.
 */
export async function keepConnected(keeper: LinkKeeper, signal: AbortSignal): Promise<void> {
  keeper.onStatus({ kind: 'connecting' });
  const onWait = (waiting: Waiting) => keeper.onStatus({ kind: 'connecting', waiting });
  let next: Transport | null = null;
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const dialled: Result<Transport> = next === null ? await keeper.dial(signal, onWait) : ok(next);
    if (signal.aborted) {
      if (dialled.ok) dialled.value.close();
      return;
    }
    if (dialled.ok) {
      next = await useUntilLost(keeper, dialled.value, signal);
      attempt = 0;
      if (next !== null) continue;
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

/** Uses a connection until it is closed; returns the one that took its place because it had fallen silent. */
async function useUntilLost(
  keeper: LinkKeeper,
  transport: Transport,
  signal: AbortSignal,
): Promise<Transport | null> {
  keeper.onStatus({ kind: 'connected' });
  keeper.onTransport(transport);
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  const closed = new AbortController();
  transport.onClosed(() => {
    signal.removeEventListener('abort', close);
    closed.abort();
  });
  if (signal.aborted) close();
  while (await fallsSilent(transport, keeper.wait, closed.signal)) {
    keeper.onStatus({ kind: 'lost', attempt: 1, fault: LOST });
    const next = await replace(keeper, transport, closed.signal);
    if (next !== null) {
      close();
      return next;
    }
    if (closed.signal.aborted) break;
    keeper.onStatus({ kind: 'connected' });
    keeper.onBack();
  }
  return null;
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

/** Time to read what came while the page itself was busy or asleep, and between two looks whether anything came. Milliseconds. */
const GRACE_MS = 250;

/**
 * Resolves with true once a host gives no sign of life in time: a network that swallows everything closes no socket, and
 * neither does a host that hangs. Anything that is read from it is one: where much comes and the page is slow, the answer
 * stands behind all that. Resolves with false when the connection ends. Never rejects.
 */
async function fallsSilent(
  transport: Transport,
  wait: LinkKeeper['wait'],
  closed: AbortSignal,
): Promise<boolean> {
  while (!closed.aborted) {
    await wait(EVERY_MS, closed);
    if (closed.aborted) break;
    const before = transport.heard();
    const alive = await answers(transport, wait, closed);
    if (!alive && transport.heard() === before) return !closed.aborted;
  }
  return false;
}

/** Asks a host for a sign of life. False when none came in time, or `given` was aborted first. Never rejects. */
async function answers(
  { client }: Transport,
  wait: LinkKeeper['wait'],
  given: AbortSignal,
): Promise<boolean> {
  const settled = new AbortController();
  const either = AbortSignal.any([given, settled.signal]);
  const answered = client.app.ping(undefined, { signal: given }).then(
    () => true,
    // An error is a sign of life too; a connection that ended tells so by itself.
    () => true,
  );
  const silent = wait(LIMIT_MS, either)
    .then(() => wait(GRACE_MS, either))
    .then(() => false);
  const alive = await Promise.race([answered, silent]);
  settled.abort();
  return alive;
}

/**
 * Dials beside a silent connection. Returns one whose host answers; null when the silent one is heard again, which then
 * has missed nothing, or has ended.
 */
async function replace(
  { dial, wait, onStatus }: LinkKeeper,
  silent: Transport,
  closed: AbortSignal,
): Promise<Transport | null> {
  const back = new AbortController();
  const over = AbortSignal.any([closed, back.signal]);
  const before = silent.heard();
  const listen = async () => {
    while (!over.aborted && silent.heard() === before) await wait(GRACE_MS, over);
    back.abort();
  };
  const heard = listen();
  let next: Transport | null = null;
  for (let attempt = 1; !over.aborted; attempt += 1) {
    const dialled = await dial(over);
    const answered = dialled.ok && (await answers(dialled.value, wait, over));
    if (answered && !over.aborted && silent.heard() === before) {
      next = dialled.value;
      break;
    }
    if (dialled.ok) dialled.value.close();
    // Who is not admitted any more learns so from the first dial after this connection.
    else if (dialled.error.code === NOT_ADMITTED) silent.close();
    else if (!over.aborted) onStatus({ kind: 'lost', attempt, fault: dialled.error });
    await wait(reconnectDelayMs(attempt), over);
  }
  back.abort();
  await heard;
  return next;
}
