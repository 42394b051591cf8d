/** Runs acts one after another, in the order they came. */
export interface Mutex {
  /** Runs `act` when all before it have ended, whatever became of them. Resolves or rejects as `act` does. */
  run<T>(act: () => Promise<T>): Promise<T>;
}

/** Creates a mutex for what one process does with one file, where each act reads first what the last one wrote. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (act) => {
      const result = last.then(act);
      last = result.catch(() => undefined);
      return result;
    },
  };
}
