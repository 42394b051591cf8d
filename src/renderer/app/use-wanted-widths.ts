import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { GroupImperativeHandle } from 'react-resizable-panels';
import { type Layout, type Shares, type Widths, widened } from './layout';

/**
 * Gives the outer columns back the widths that the person wants when the window that had squeezed them grows again. `frame` is the
 * element that all share. Returns a function that takes in a layout, and whether the person made it.
 */
export function useWantedWidths(
  group: RefObject<GroupImperativeHandle | null>,
  frame: RefObject<HTMLElement | null>,
  { initial, narrow, opened }: { initial: Layout; narrow: boolean; opened: string },
): (shares: Shares, isByPerson: boolean) => void {
  const wanted = useRef<Widths | null>(null);
  const last = useRef<Shares>({});
  const take = useCallback(
    (shares: Shares, isByPerson: boolean) => {
      const width = frame.current?.clientWidth ?? 0;
      const before = last.current;
      last.current = shares;
      if (!isByPerson || wanted.current === null) return;
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
  // `opened` too: a column that opens may find too little room as well.
  useEffect(() => {
    const element = frame.current;
    if (element === null || narrow) return;
    wanted.current ??= widthsOf(initial, element.clientWidth);
    let next = 0;
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(next);
      // The columns follow the new width first.
      next = requestAnimationFrame(() => {
        if (group.current === null || wanted.current === null) return;
        const grown = widened(group.current.getLayout(), wanted.current, element.clientWidth);
        if (grown !== null) group.current.setLayout(grown);
      });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(next);
    };
  }, [group, frame, initial, narrow, opened]);
  return take;
}

const widthsOf = ({ side, dock }: Layout, width: number): Widths => ({
  side: (side / 100) * width,
  dock: (dock / 100) * width,
});
