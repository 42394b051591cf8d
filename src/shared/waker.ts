/** Tells one waiter that something changed. Any number of calls before a `wait` count as one. */
export interface Waker {
  wake(): void;
  /** True at the next call (at once when one came before); false when closed. */
  wait(): Promise<boolean>;
  close(): void;
}

/** Creates a waker that closes when the signal aborts. */
export function createWaker(signal?: AbortSignal): Waker {
  let woken = false;
  let closed = signal?.aborted ?? false;
  let resume: (() => void) | null = null;

  const rouse = () => {
    resume?.();
    resume = null;
  };
  const close = () => {
    closed = true;
    signal?.removeEventListener('abort', close);
    rouse();
  };
  signal?.addEventListener('abort', close, { once: true });

  return {
    wake: () => {
      woken = true;
      rouse();
    },
    wait: async () => {
      if (!woken && !closed) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      woken = false;
      return !closed;
    },
    close,
  };
}
