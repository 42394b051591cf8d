/** Exit codes of the signals that end us, as shells count them: 128 + number. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ctrl-C reaches us from the terminal and again from npm or a parent of ours that passes it on; what follows
 * the first one this soon is the same request. Milliseconds.
 */
const ECHO_MS = 500;

/**
 * npm passes signals to the shell it started, and not every shell passes them on: it just dies. So a process
 * started by npm ends when its parent is gone. How often that is looked at, in milliseconds.
 */
const PARENT_POLL_MS = 100;

/** A request to end this process. */
export interface EndingSignal {
  /** Aborts with the exit code as its reason. */
  readonly signal: AbortSignal;
  /** Resolves when `signal` aborts. */
  readonly ended: Promise<void>;
  /** Ends for another reason than a signal. */
  end(exitCode: number): void;
  /** Stops listening. */
  dispose(): void;
}

/** Listens for Ctrl-C, TERM and HUP. The first one ends in good order, a second one of them at once. */
export function endingSignal(): EndingSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let firstAt = 0;
  const end = (exitCode: number) => {
    if (signal.aborted) return;
    firstAt = performance.now();
    controller.abort(exitCode);
  };
  const entries = Object.entries(EXIT_CODES).map(([name, exitCode]) => {
    const listener = () => {
      if (!signal.aborted) end(exitCode);
      else if (performance.now() - firstAt > ECHO_MS) process.exit(exitCode);
    };
    process.on(name, listener);
    return { name, listener };
  });
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) end(EXIT_CODES.SIGTERM);
  }, PARENT_POLL_MS);
  watch.unref();
  if (process.env['npm_lifecycle_event'] === undefined) clearInterval(watch);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return {
    signal,
    ended,
    end,
    dispose() {
      clearInterval(watch);
      for (const { name, listener } of entries) process.removeListener(name, listener);
    },
  };
}
