/** Tells one waiter that something changed. Any number of rings before a `wait` count as one. */
export interface Bell {
  ring(): void;
  /** True at the next ring (at once when it has already rung); false when closed. */
  wait(): Promise<boolean>;
  close(): void;
}

/** Creates a bell that closes when the signal aborts. */
export function createBell(signal?: AbortSignal): Bell {
  let rung = false;
  let closed = signal?.aborted ?? false;
  let wake: (() => void) | null = null;

  const rouse = () => {
    wake?.();
    wake = null;
  };
  const close = () => {
    closed = true;
    signal?.removeEventListener('abort', close);
    rouse();
  };
  signal?.addEventListener('abort', close, { once: true });

  return {
    ring: () => {
      rung = true;
      rouse();
    },
    wait: async () => {
      if (!rung && !closed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      rung = false;
      return !closed;
    },
    close,
  };
}
