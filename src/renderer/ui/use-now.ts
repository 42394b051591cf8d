import { createContext, useContext, useEffect, useMemo, useState } from 'react';

/** False while nobody can say whether what is timed still runs: then every time on screen stands still. */
export const TimersRun = createContext(true);

/**
 * Returns the time in epoch milliseconds, renewed every `everyMs` while `active`; still otherwise, and while
 * {@link TimersRun} says so. A change of `from` renews it at once: what is counted from there then begins with a whole second.
 * Where it is given, null included, the time goes on when the system's clock is set back.
 */
export function useNow(active: boolean, everyMs = 1000, from?: number | null): number {
  const [clock] = useState(() => createSteadyClock(Date.now, () => performance.now()));
  const [now, setNow] = useState(clock.now);
  const counts = useContext(TimersRun) && active;
  const isSteady = from !== undefined;
  useEffect(() => {
    if (!counts) return;
    if (typeof from === 'number') clock.follow(from);
    const read = isSteady ? clock.now : Date.now;
    setNow(read());
    const timer = setInterval(() => setNow(read()), everyMs);
    return () => clearInterval(timer);
  }, [clock, counts, everyMs, from, isSteady]);
  return now;
}

/** Returns what tells how long the things of a list have run, each from when it began. Milliseconds; renewed as {@link useNow} is. */
export function useElapsed(active: boolean): Stopwatch {
  const now = useNow(active);
  const [sinceIn] = useState(createStopwatch);
  return useMemo(() => sinceIn(now, performance.now()), [sinceIn, now]);
}

/** Tells how long something has run that began at `from`, in epoch milliseconds. */
export type Stopwatch = (from: number) => number;

/** So many beginnings are remembered. */
const REMEMBERED = 1000;

/**
 * Creates what makes stopwatches out of a reading of the system's clock and of one that nobody sets. What began by a clock that
 * was ahead goes on from where it was first seen, and does not stand at nothing until the clock has caught up.
 */
export function createStopwatch(): (system: number, ticks: number) => Stopwatch {
  const seen = new Map<number, { readonly passed: number; readonly ticks: number }>();
  return (system, ticks) => (from) => {
    const first = seen.get(from) ?? { passed: Math.max(0, system - from), ticks };
    if (!seen.has(from) && seen.size >= REMEMBERED) seen.clear();
    seen.set(from, first);
    return Math.max(system - from, first.passed + ticks - first.ticks);
  };
}

/** A time so little ahead is one of the clock that is asked. Milliseconds. */
const AHEAD_MS = 60_000;

/** A clock that goes on where the system's is set back: what is counted from before would stand still at nothing. */
export interface SteadyClock {
  now(): number;
  /** Goes by the system's clock again when what is counted next began by it. */
  follow(from: number): void;
}

/** Creates such a clock out of the system's and of one that nobody sets, both in milliseconds. */
export function createSteadyClock(system: () => number, ticks: () => number): SteadyClock {
  let begun = { at: system(), ticks: ticks() };
  return {
    now: () => Math.max(system(), begun.at + ticks() - begun.ticks),
    follow: (from) => {
      if (from <= system() + AHEAD_MS) begun = { at: system(), ticks: ticks() };
    },
  };
}
