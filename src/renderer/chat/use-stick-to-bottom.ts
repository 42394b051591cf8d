import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Within this many pixels of the end counts as being at the end. */
const NEAR_END = 32;
/** A scroll this long after a key, wheel or touch is the user's; later ones are the list measuring itself. */
const INTENT_MS = 600;

export interface StickToBottom {
  readonly atBottom: boolean;
  /** Number of rows that came since the view left the bottom. */
  readonly news: number;
  readonly toBottom: () => void;
  readonly toTop: () => void;
}

/**
 * Keeps a scrolling box at its end while its content grows, but only if it was there. It lets go when the user
 * scrolls up and holds again when they come back to the end, or when `sent` changes: they sent something.
 */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  rowCount: number,
  sent: number,
): StickToBottom {
  const [atBottom, setAtBottom] = useState(true);
  const [leftAt, setLeftAt] = useState(rowCount);
  const sticking = useRef(true);
  const rows = useRef(rowCount);
  rows.current = rowCount;

  const stick = useCallback((next: boolean) => {
    if (sticking.current && !next) setLeftAt(rows.current);
    sticking.current = next;
    setAtBottom(next);
  }, []);

  const pin = useCallback(() => {
    const box = scroller.current;
    if (box && sticking.current) box.scrollTop = box.scrollHeight;
  }, [scroller]);

  const toBottom = useCallback(() => {
    stick(true);
    pin();
  }, [stick, pin]);
  const toTop = useCallback(() => {
    stick(false);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [stick, scroller]);

  const seen = useRef(sent);
  useLayoutEffect(() => {
    if (seen.current !== sent) stick(true);
    seen.current = sent;
    pin();
  });

  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    let touchedAt = Number.NEGATIVE_INFINITY;
    let lastTop = box.scrollTop;
    let lastHeight = box.scrollHeight;
    const touched = () => {
      touchedAt = performance.now();
    };
    const onScroll = () => {
      const end = box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR_END;
      const meant = performance.now() - touchedAt < INTENT_MS || box.scrollHeight === lastHeight;
      if (end) stick(true);
      else if (meant && box.scrollTop < lastTop) stick(false);
      lastTop = box.scrollTop;
      lastHeight = box.scrollHeight;
    };
    const intents = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'] as const;
    for (const type of intents) box.addEventListener(type, touched, { passive: true });
    box.addEventListener('scroll', onScroll, { passive: true });
    const sizes = new ResizeObserver(pin);
    sizes.observe(box);
    for (const child of box.children) sizes.observe(child);
    return () => {
      for (const type of intents) box.removeEventListener(type, touched);
      box.removeEventListener('scroll', onScroll);
      sizes.disconnect();
    };
  }, [scroller, stick, pin]);

  return { atBottom, news: Math.max(0, rowCount - leftAt), toBottom, toTop };
}
