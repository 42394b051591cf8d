import type { Clock } from '../ports';

/** A task that has been silent this long while its last line looks like a question waits for input. docs/spec.md G5. */
export const SILENT_MS = 45_000;

/** What a watchdog looks at. */
export interface StallWatchdogDeps {
  readonly clock: Clock;
  /** Returns when output came last, in epoch milliseconds. */
  readonly lastOutputAt: () => number;
  /** Hears of each silence once, when it has lasted {@link SILENT_MS}. */
  readonly onSilent: () => void;
}

/** Watches for silences until the signal aborts. Never rejects. */
export async function watchForSilence(deps: StallWatchdogDeps, signal: AbortSignal): Promise<void> {
  const { clock, lastOutputAt, onSilent } = deps;
  let reported: number | null = null;
  while (!signal.aborted) {
    const since = lastOutputAt();
    const left = since + SILENT_MS - clock.now();
    if (left <= 0 && since !== reported) {
      reported = since;
      onSilent();
    }
    await clock.sleep(left > 0 ? left : SILENT_MS, signal);
  }
}
