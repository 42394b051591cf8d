import { type RefObject, useLayoutEffect, useState } from 'react';

/** Within this many pixels of the end counts as seen. */
const SLACK = 8;
/** Height of a line of code (UI.md, 13/20). */
const LINE_PX = 20;

/** How far a scrolling box is read. */
export interface Reading {
  /** Lines below what is in view; 0 when its end shows. */
  readonly below: number;
  /** It is longer than what fits. */
  readonly scrolls: boolean;
}

/** How many lines of a scrolling box are below what is in view; looked at anew when `content` is another. */
export function useLinesBelow(box: RefObject<HTMLElement | null>, content?: unknown): Reading {
  const [below, setBelow] = useState(0);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const hidden = element.scrollHeight - element.clientHeight;
      const left = hidden - element.scrollTop;
      setBelow(left > SLACK ? Math.ceil(left / LINE_PX) : 0);
      setScrolls(hidden > 0);
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [box, content]);
  return { below, scrolls };
}
