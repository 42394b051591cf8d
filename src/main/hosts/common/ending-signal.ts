/** Exit codes of the signals that end us, as shells count them: 128 + number. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ctrl-C reaches us from the terminal and again from npm or a parent of ours that passes it on; what follows
 * the first one this soon is the same request. Milliseconds.
 */
const ECHO_MS = 500;

/** The time between two looks at whether our parent is gone. Milliseconds. */
const PARENT_POLL_MS = 100;

/** A request to end this process. */
export interface EndingSignal {
  /** Aborts with the exit code as its reason. */
  readonly signal: AbortSignal;
  /** Resolves when `signal` aborts. */
  readonly ended: Promise<void>;
  /** Ends for another reason than a signal. */
  end(exitCode: number): void;
  /** Calls `listener` once the process that started this one is gone, where the system tells: not on Windows. */
  onOrphaned(listener: () => void): void;
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
  const watches: NodeJS.Timeout[] = [];
  const onOrphaned = (listener: () => void) => {
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      listener();
    }, PARENT_POLL_MS);
    watches.push(watch.unref());
  };
  // npm passes signals to the shell it started, and not every shell passes them on: it just dies. An older Node that
  // started us (`bin/lathe.mjs`) stands for us, and dies in our place when it is killed.
  const isLaunched = process.env['LATHE_LAUNCHER'] === String(parent);
  if (isLaunched || process.env['npm_lifecycle_event'] !== undefined)
    onOrphaned(() => end(EXIT_CODES.SIGTERM));
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return {
    signal,
    ended,
    end,
    onOrphaned,
    dispose() {
      for (const watch of watches) clearInterval(watch);
      for (const { name, listener } of entries) process.removeListener(name, listener);
    },
  };
}
