import { useEffect, useRef } from 'react';

/** How long a message that needs no answer stays, in milliseconds. */
const SHOWN_MS = 4000;

/** Calls back once after a while, when `active`. */
export function useExpiry(active: boolean, onExpired: () => void): void {
  const latest = useRef(onExpired);
  latest.current = onExpired;
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => latest.current(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [active]);
}
