import type { ExitPayload } from '../../shared/terminal-wire';
import type { PastePlan } from './paste';

/** The little that React shows around a terminal. The screen itself never passes through here. */
export interface ViewerState {
  /** `loading` until the first replay; `lost` while the connection is down. */
  readonly phase: 'loading' | 'live' | 'lost';
  readonly exit: ExitPayload | null;
  /** Why the terminal host will not show it. */
  readonly refused: string | null;
  /** The target of the link under the pointer. */
  readonly link: string | null;
  /** A paste that waits for the person's consent. */
  readonly paste: PastePlan | null;
}

export const FRESH_VIEWER: ViewerState = {
  phase: 'loading',
  exit: null,
  refused: null,
  link: null,
  paste: null,
};

/** A value with listeners, in the form React's `useSyncExternalStore` takes. */
export interface Observable<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

/** An {@link Observable} one can change. */
export interface Cell<T> extends Observable<T> {
  change(patch: Partial<T>): void;
}

/** Creates a cell; a patch that changes nothing tells nobody. */
export function createCell<T extends object>(initial: T): Cell<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(patch) {
      const keys = Object.keys(patch) as (keyof T)[];
      if (keys.every((key) => Object.is(value[key], patch[key]))) return;
      value = { ...value, ...patch };
      for (const listener of listeners) listener();
    },
  };
}
