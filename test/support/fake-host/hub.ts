/** Sends values to everyone who follows at the moment. */
export interface Hub<T> {
  send(value: T): void;
  /** First what `start` gives at the time of the first read, then everything sent since, until aborted. */
  follow(signal: AbortSignal | undefined, start: () => readonly T[]): AsyncGenerator<T, void>;
}

/** A hub without followers. */
export function createHub<T>(): Hub<T> {
  const followers = new Set<(value: T) => void>();
  return {
    send(value) {
      for (const follower of [...followers]) follower(value);
    },
    async *follow(signal, start) {
      const queue: T[] = [...start()];
      let wake = () => {};
      const follower = (value: T) => {
        queue.push(value);
        wake();
      };
      followers.add(follower);
      signal?.addEventListener('abort', () => wake());
      try {
        while (!signal?.aborted) {
          const next = queue.shift();
          if (next !== undefined) yield next;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        followers.delete(follower);
      }
    },
  };
}
