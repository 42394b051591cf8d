import { useCallback, useEffect, useRef, useState } from 'react';
import { GUARD_MS, guardLeft } from './guard';

export interface Guard {
  /** Whether approving works now. */
  readonly armed: boolean;
  /** Milliseconds it is still held back. */
  readonly left: () => number;
  /** A key or a return to the window that was not meant as an answer: wait anew. */
  readonly restart: () => void;
}

/** Holds approving back after the question showed, after stray typing, and after the window got focus again. */
export function useGuard(): Guard {
  const shownAt = useRef(performance.now());
  const strayAt = useRef(Number.NEGATIVE_INFINITY);
  const [round, setRound] = useState(0);
  const [armed, setArmed] = useState(false);
  const left = useCallback(
    () => guardLeft(shownAt.current, strayAt.current, performance.now()),
    [],
  );
  const restart = useCallback(() => {
    strayAt.current = performance.now();
    setArmed(false);
    setRound((n) => n + 1);
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), GUARD_MS);
    return () => clearTimeout(timer);
  }, [round]);
  useEffect(() => {
    window.addEventListener('focus', restart);
    return () => window.removeEventListener('focus', restart);
  }, [restart]);
  return { armed, left, restart };
}
