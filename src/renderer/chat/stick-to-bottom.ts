import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RowList } from './rows';

/** Within this many pixels of the end counts as being at the end. */
const NEAR_END = 32;
/** A scroll this long after a key, wheel or touch is the user's; later ones are the list measuring itself. */
const INTENT_MS = 600;

/** Rows at the end whose growth moves the end: the live row, and the answer before it. */
const LAST_ROWS = 3;

/** Returns the last rows in the page, which are the last elements of the list in `box`. */
const lastRows = (box: Element): readonly Element[] => [
  ...[...(box.firstElementChild?.firstElementChild?.children ?? [])].slice(-LAST_ROWS),
];

interface StickToBottom {
  readonly atBottom: boolean;
  /** Number of rows that came since the view left the bottom. */
  readonly news: number;
  readonly toBottom: () => void;
  readonly toTop: () => void;
  /** Stays where the view is brought next, whatever grows at the end. */
  readonly letGo: () => void;
}

/**
 * Keeps a scrolling box at its end while its content grows, but only if it was there. It lets go when the user
 * scrolls up and holds again when they come back to the end, or when `sent` changes: they sent something. While a button
 * of the pointer is pressed nothing moves, or a click would miss its row and a selection run away.
 */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  rowCount: number,
  sent: number,
): StickToBottom {
  const [atBottom, setAtBottom] = useState(true);
  const [leftAt, setLeftAt] = useState(rowCount);
  const sticking = useRef(true);
  const pressed = useRef(false);
  const rows = useRef(rowCount);
  rows.current = rowCount;

  const stick = useCallback((next: boolean) => {
    if (sticking.current && !next) setLeftAt(rows.current);
    sticking.current = next;
    setAtBottom(next);
  }, []);

  // Looks at the layout, so it is called where that is up to date, or where it must be.
  const pin = useCallback(() => {
    const box = scroller.current;
    if (box && sticking.current && !pressed.current) box.scrollTop = box.scrollHeight;
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
  });
  // A new row is shown at once. One that grows is noticed by its size, before the next paint.
  useLayoutEffect(pin, [pin, rowCount, sent]);
  const observeRows = useRef(() => {});
  useLayoutEffect(() => observeRows.current());

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
    const press = new AbortController();
    // On the box itself: its scrollbar, whose release browsers do not tell.
    const onPress = ({ target, button }: PointerEvent) => {
      // The system's menu, which another button opens, may keep its release.
      pressed.current = target !== box && button === 0;
    };
    const onMove = ({ buttons }: PointerEvent) => buttons === 0 && onRelease();
    const onRelease = () => {
      if (!pressed.current) return;
      pressed.current = false;
      // After the click, which follows the release.
      requestAnimationFrame(pin);
    };
    box.addEventListener('pointerdown', onPress, { signal: press.signal });
    for (const [type, listener] of [
      ['pointerup', onRelease],
      ['pointercancel', onRelease],
      // After a drag only this one comes.
      ['pointermove', onMove],
    ] as const)
      window.addEventListener(type, listener, { capture: true, signal: press.signal });
    // Of the window itself: what is captured would be of every element.
    window.addEventListener('blur', onRelease, { signal: press.signal });
    for (const type of intents) box.addEventListener(type, touched, { passive: true });
    box.addEventListener('scroll', onScroll, { passive: true });
    // Called between layout and paint, when looking at sizes costs nothing.
    const sizes = new ResizeObserver(pin);
    let observed: readonly Element[] = [];
    // The rows at the end too: the list learns of their growth a frame later.
    observeRows.current = () => {
      const next = [box, ...box.children, ...lastRows(box)];
      for (const element of observed) if (!next.includes(element)) sizes.unobserve(element);
      for (const element of next) if (!observed.includes(element)) sizes.observe(element);
      observed = next;
    };
    observeRows.current();
    return () => {
      observeRows.current = () => {};
      press.abort();
      for (const type of intents) box.removeEventListener(type, touched);
      box.removeEventListener('scroll', onScroll);
      sizes.disconnect();
    };
  }, [scroller, stick, pin]);

  const letGo = useCallback(() => stick(false), [stick]);
  return { atBottom, news: Math.max(0, rowCount - leftAt), toBottom, toTop, letGo };
}

/** The earlier rows of a long conversation, which come after its end. */
interface Prepended {
  /** Number of rows that came in front so far, a long text counted as one. */
  readonly items: number;
  /** True in the render that puts rows in front of what is read: the list then keeps its distance from the end. */
  readonly shift: boolean;
}

/** Notices rows that are put in front. A view at the very top stays there and shows the first of them. */
export function usePrepended(scroller: RefObject<HTMLElement | null>, rows: RowList): Prepended {
  const shown = useRef<{ readonly rows: RowList; readonly earlier: number } | null>(null);
  const { rows: before = rows, earlier = 0 } = shown.current ?? {};
  const came = isPrepended(before, rows);
  const items = came ? earlier + rows.items - before.items : earlier;
  useLayoutEffect(() => {
    shown.current = { rows, earlier: items };
  });
  return { items, shift: came && scroller.current?.scrollTop !== 0 };
}

/** Returns true when `after` is `before` with rows in front of it. */
const isPrepended = (before: RowList, after: RowList): boolean =>
  before.length > 0 &&
  after.length > before.length &&
  after.at(0).key !== before.at(0).key &&
  after.at(after.length - before.length).key === before.at(0).key;
