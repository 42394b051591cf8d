import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { GroupImperativeHandle } from 'react-resizable-panels';
import { fitted, type Layout, type Opened, type Shares, type Widths } from './layout';

/** A pixel as a percentage of one: what is less is rounding. */
const PIXEL = 100;

/**
 * Keeps the outer columns as wide as the user wants, as far as the window has room, and gives that back when it grows. `frame` is
 * the element that all share. Returns a function that takes in a layout, and whether the user made it.
 */
export function useWantedWidths(
  group: RefObject<GroupImperativeHandle | null>,
  frame: RefObject<HTMLElement | null>,
  { initial, narrow, opened }: { initial: Layout; narrow: boolean; opened: Opened },
): (shares: Shares, isByUser: boolean) => void {
  const wanted = useRef<Widths | null>(null);
  const last = useRef<Shares>({});
  const take = useCallback(
    (shares: Shares, isByUser: boolean) => {
      const width = frame.current?.clientWidth ?? 0;
      const before = last.current;
      last.current = shares;
      if (!isByUser || wanted.current === null) return;
      const widthOf = (id: keyof Widths): number | null => {
        const share = shares[id] ?? 0;
        // Whoever moves one column has said nothing about the other, which may be squeezed.
        return share > 0 && Math.abs(share - (before[id] ?? 0)) > 0.05
          ? (share / 100) * width
          : null;
      };
      const { side, dock } = wanted.current;
      wanted.current = { side: widthOf('side') ?? side, dock: widthOf('dock') ?? dock };
    },
    [frame],
  );
  const { sideOpen, dockOpen } = opened;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    if (!narrow) wanted.current ??= widthsOf(initial, element.clientWidth);
    let frameNumber = 0;
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frameNumber);
      // The columns follow the new width first.
      frameNumber = requestAnimationFrame(() => {
        if (group.current === null) return;
        const width = element.clientWidth;
        const now = group.current.getLayout();
        // A narrow window closes them, which the group undoes when it takes in the new least width of the middle one.
        const open = narrow ? ALL_CLOSED : { sideOpen, dockOpen };
        const next = fitted(wanted.current ?? NO_WIDTHS, open, width);
        const isOff = (id: keyof Widths) =>
          Math.abs((next[id] ?? 0) - (now[id] ?? 0)) * width > PIXEL;
        if (isOff('side') || isOff('dock')) group.current.setLayout(next);
      });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frameNumber);
    };
  }, [group, frame, initial, narrow, sideOpen, dockOpen]);
  return take;
}

const ALL_CLOSED: Opened = { sideOpen: false, dockOpen: false };
const NO_WIDTHS: Widths = { side: 0, dock: 0 };

const widthsOf = ({ side, dock }: Layout, width: number): Widths => ({
  side: (side / 100) * width,
  dock: (dock / 100) * width,
});
