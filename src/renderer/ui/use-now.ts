import { createContext, useContext, useEffect, useState } from 'react';

/** False while nobody can say whether what is timed still runs: then every time on screen stands still. */
export const TimersRun = createContext(true);

/**
 * Returns the time in epoch milliseconds, renewed every `everyMs` while `active`; still otherwise, and while
 * {@link TimersRun} says so. A change of `from` renews it at once: what is counted from there then begins with a whole second.
 */
export function useNow(active: boolean, everyMs = 1000, from: number | null = null): number {
  const [now, setNow] = useState(() => Date.now());
  const counts = useContext(TimersRun) && active;
  useEffect(() => {
    if (!counts) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [counts, everyMs, from]);
  return now;
}
