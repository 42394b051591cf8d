import type { ContractRouterClient } from '@orpc/contract';
import type { contract } from '../../shared/contract';
import type { Result } from '../../shared/result';
import type { HostWait } from '../../shared/window-ports';

/** Every procedure and stream of the contract, as seen from the page. */
export type Client = ContractRouterClient<typeof contract>;

/** The sending half of one connection to the terminal host. Sending on a lost one does nothing. */
export interface FrameSender {
  send(frame: Uint8Array): void;
  close(): void;
}

/**
 * One live connection to the engine, whatever carries it. It never comes back once closed:
 * a lost connection is replaced by a new transport.
 */
export interface Transport {
  readonly client: Client;
  /** Opens the binary channel for terminal frames. `onClose` fires once, also when the transport ends. */
  openTerminalFrames(
    onFrame: (frame: Uint8Array) => void,
    onClose: () => void,
  ): Promise<Result<FrameSender>>;
  /** Returns how many messages of the host the page has read. */
  heard(): number;
  close(): void;
  /** Calls back once when the connection is gone, at once when it already is. */
  onClosed(listener: () => void): void;
}

/** Counts the messages that the page reads from a socket or port. */
export function countMessages(from: Pick<EventTarget, 'addEventListener'>): () => number {
  let heard = 0;
  from.addEventListener('message', () => {
    heard += 1;
  });
  return () => heard;
}

/** A host that is there, and serves nothing yet. */
export interface Waiting {
  readonly cause: HostWait;
  /** Asks it to go on without what it waits for. */
  skip(): void;
}

/** Makes one connection, or says why it could not. `onWait` hears, each time that changes, what the host waits for. */
export type Dial = (
  signal: AbortSignal,
  onWait?: (waiting: Waiting) => void,
) => Promise<Result<Transport>>;

/** The code of a failure that trying again cannot mend: the host does not know this page. */
export const NOT_ADMITTED = 'not_admitted';

/** Something that ends once and tells everyone who asked, late askers included. */
interface Closing {
  readonly done: boolean;
  close(): void;
  onClosed(listener: () => void): void;
}

/** Creates a {@link Closing}. */
export function createClosing(): Closing {
  const listeners: (() => void)[] = [];
  let done = false;
  return {
    get done() {
      return done;
    },
    close() {
      if (done) return;
      done = true;
      for (const listener of listeners.splice(0)) listener();
    },
    onClosed(listener) {
      if (done) listener();
      else listeners.push(listener);
    },
  };
}
