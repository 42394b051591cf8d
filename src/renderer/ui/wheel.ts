/** The part of a turn of the wheel that says where it leads. */
interface Turn {
  readonly deltaX: number;
  readonly deltaY: number;
  readonly ctrlKey: boolean;
}

/**
 * Returns true for a turn that goes up or down, as two fingers do it: a little sideways too. A box that has room sideways
 * would take it, and lose the part that was meant.
 */
export const leansSideways = ({ deltaX, deltaY, ctrlKey }: Turn): boolean =>
  !ctrlKey && deltaX !== 0 && Math.abs(deltaY) > Math.abs(deltaX);

/** Returns true when `element` is a box that scrolls up and down. */
const scrolls = (element: Element): boolean =>
  element.scrollHeight > element.clientHeight &&
  /auto|scroll/.test(getComputedStyle(element).overflowY);

/** Returns the innermost box around `from` that has room for a turn by `deltaY`, as browsers look for it. */
function boxFor(from: Element | null, deltaY: number): Element | null {
  for (let box = from; box !== null; box = box.parentElement) {
    if (!scrolls(box)) continue;
    const below = box.scrollHeight - box.clientHeight - box.scrollTop;
    // A zoomed page leaves a part of a pixel.
    if (deltaY < 0 ? box.scrollTop > 0 : below >= 1) return box;
    if (getComputedStyle(box).overscrollBehaviorY !== 'auto') return null;
  }
  return null;
}

/** Hands the turns over a wide `box` that go up or down to whatever scrolls that way. Returns what ends this. */
export function passTurnsOn(box: HTMLElement): () => void {
  const onWheel = (event: WheelEvent) => {
    const { target, deltaY, cancelable, defaultPrevented } = event;
    if (!leansSideways(event) || !cancelable || defaultPrevented) return;
    if (box.scrollWidth <= box.clientWidth || !(target instanceof Element)) return;
    const found = boxFor(target, deltaY);
    // With room both ways it loses nothing.
    if (found !== null && box.contains(found)) return;
    event.preventDefault();
    found?.scrollBy({ top: deltaY, behavior: 'instant' });
  };
  const listener = new AbortController();
  box.addEventListener('wheel', onWheel, { passive: false, signal: listener.signal });
  return () => listener.abort();
}
