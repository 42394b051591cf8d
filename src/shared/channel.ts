/**
 * A queue between producers and one consumer. A producer that asks for room first keeps it bounded; nothing is lost and
 * nothing is reordered.
 */
export interface Channel<T> extends AsyncIterable<T> {
  /** Resolves when there is room. */
  room(): Promise<void>;
  /** Puts a value in, also when the queue is full: for producers that cannot wait and are few. Dropped after `close`. */
  push(value: T): void;
  /** No more values; the consumer gets what is left and ends. */
  close(): void;
}

/** Values that may wait in a channel when nothing else is said (docs/spec.md K1). */
const CHANNEL_LIMIT = 1000;

/** Creates a channel that has room for `limit` values. */
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

  /** No generator: an item of one costs several promises, and every event of a session comes through here. */
  function consume(): AsyncIterator<T, undefined> {
    let taken: Iterator<T> = [].values();
    return {
      next: async () => {
        for (;;) {
          const given = taken.next();
          if (!given.done) return given;
          if (items.length > 0) {
            taken = items.values();
            items = [];
            release();
          } else if (closed) return { done: true, value: undefined };
          else {
            await new Promise<void>((resolve) => {
              wakeConsumer = resolve;
            });
          }
        }
      },
      return: async () => {
        closed = true;
        items = [];
        taken = items.values();
        release();
        return { done: true, value: undefined };
      },
    };
  }

  return {
    room: async () => {
      while (items.length >= limit && !closed) {
        await new Promise<void>((resolve) => wakeProducers.push(resolve));
      }
    },
    push: (value) => {
      if (closed) return;
      items.push(value);
      notify();
    },
    close: () => {
      closed = true;
      notify();
      release();
    },
    [Symbol.asyncIterator]: consume,
  };
}

/** A source of values, who sees each, and what is done once it is over or nobody reads on. */
interface Passing<T> {
  readonly source: AsyncIterable<T>;
  readonly see?: (value: T) => void;
  readonly end: () => void | Promise<void>;
}

/**
 * Passes values on, from the moment that somebody reads; `open` is called for each reader. No generator either, for the
 * same reason.
 */
export const passOn = <T>(open: () => Passing<T>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => passing(open()),
});

function passing<T>({ source, see, end }: Passing<T>): AsyncIterator<T> {
  const values = source[Symbol.asyncIterator]();
  let over = false;
  const finish = async (): Promise<IteratorResult<T, undefined>> => {
    if (!over) {
      over = true;
      await end();
    }
    return { done: true, value: undefined };
  };
  const seen = (step: IteratorResult<T>): Promise<IteratorResult<T>> | IteratorResult<T> => {
    if (step.done === true) return finish();
    try {
      see?.(step.value);
    } catch (cause) {
      return failed(cause);
    }
    return step;
  };
  const failed = async (cause: unknown): Promise<never> => {
    await finish();
    throw cause;
  };
  return {
    next: () => (over ? finish() : values.next().then(seen, failed)),
    return: async () => {
      try {
        if (!over) await values.return?.();
      } finally {
        await finish();
      }
      return { done: true, value: undefined };
    },
  };
}
