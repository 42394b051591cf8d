/** A value with listeners, in the form React's `useSyncExternalStore` takes. */
export interface Observable<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

/** An {@link Observable} one can change. */
interface Cell<T> extends Observable<T> {
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
