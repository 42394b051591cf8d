/**
 * A bounded queue between producers and one consumer. A producer that finds it full waits;
 * nothing is lost and nothing is reordered.
 */
export interface Channel<T> extends AsyncIterable<T> {
  /** Resolves when there is room. */
  room(): Promise<void>;
  /** Waits for room, then puts the value in. A push after `close` is dropped. */
  push(value: T): Promise<void>;
  /** Puts a value in even when the queue is full: for producers that cannot wait and are few. */
  pushNow(value: T): void;
  /** No more values; the consumer gets what is left and ends. */
  close(): void;
}

/** SPEC K1. */
export const CHANNEL_LIMIT = 1000;

/** Creates a channel that holds at most `limit` values before producers wait. */
export function createChannel<T>(limit = CHANNEL_LIMIT): Channel<T> {
  let items: T[] = [];
  let closed = false;
  let wakeConsumer: (() => void) | null = null;
  let wakeProducers: (() => void)[] = [];

  const notify = () => {
    wakeConsumer?.();
    wakeConsumer = null;
  };
  const release = () => {
    const waiting = wakeProducers;
    wakeProducers = [];
    for (const wake of waiting) wake();
  };
  const pushNow = (value: T) => {
    if (closed) return;
    items.push(value);
    notify();
  };

  async function* consume(): AsyncGenerator<T> {
    try {
      while (true) {
        const batch = items;
        items = [];
        release();
        yield* batch;
        if (items.length > 0) continue;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wakeConsumer = resolve;
        });
      }
    } finally {
      closed = true;
      items = [];
      release();
    }
  }

  const room = async () => {
    while (items.length >= limit && !closed) {
      await new Promise<void>((resolve) => wakeProducers.push(resolve));
    }
  };

  return {
    room,
    push: async (value) => {
      await room();
      pushNow(value);
    },
    pushNow,
    close: () => {
      closed = true;
      notify();
      release();
    },
    [Symbol.asyncIterator]: consume,
  };
}
