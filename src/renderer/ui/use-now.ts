import { useEffect, useState } from 'react';

/**
 * Returns the time in epoch milliseconds, renewed every `everyMs` while `active`; still otherwise. A change of
 * `from` renews it at once: what is counted from there then begins with a whole second.
 */
export function useNow(active: boolean, everyMs = 1000, from: number | null = null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs, from]);
  return now;
}
