import { type RefObject, useLayoutEffect, useState } from 'react';

/** Within this many pixels of the end counts as seen. */
const SLACK = 8;

/** Whether a scrolling box has more below what is in view. */
export function useMoreBelow(box: RefObject<HTMLElement | null>): boolean {
  const [more, setMore] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () =>
      setMore(element.scrollHeight - element.clientHeight - element.scrollTop > SLACK);
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [box]);
  return more;
}
