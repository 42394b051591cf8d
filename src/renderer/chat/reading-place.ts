import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { ReadingPlace } from '../store/reading-places';
import type { RowList } from './rows';

/** The place where a conversation was left, and the function that keeps the next one. */
export interface PlaceMemory {
  readonly left: ReadingPlace | null;
  readonly save: (place: ReadingPlace) => void;
}

interface PlaceParts {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly openIds: ReadonlySet<string>;
  readonly atBottom: boolean;
  readonly letGo: () => void;
}

/** Brings the view where it was left, as soon as that row is there, and saves where it is when the conversation goes. */
export function useReadingPlace(
  memory: PlaceMemory | undefined,
  rows: RowList,
  { scroller, list, openIds, atBottom, letGo }: PlaceParts,
): void {
  const wanted = useRef(memory?.left?.top ?? null);
  useLayoutEffect(() => {
    const { current: top } = wanted;
    if (top === null) return;
    const at = indexOfKey(rows, top.key);
    if (at < 0) return;
    wanted.current = null;
    letGo();
    list.current?.scrollToIndex(at, { align: 'start', offset: top.offset });
  }, [rows, list, letGo]);

  const now = useRef({ rows, openIds, atBottom });
  now.current = { rows, openIds, atBottom };
  // Its end comes while the rows are still there to be asked.
  useLayoutEffect(() => {
    if (memory === undefined) return;
    const save = () => {
      const open = [...now.current.openIds];
      // What was to be shown and did not come yet is still wanted.
      const top = wanted.current ?? (now.current.atBottom ? null : topOf(now.current.rows, list));
      memory.save({ open, top });
    };
    const box = scroller.current;
    box?.addEventListener('scrollend', save);
    window.addEventListener('pagehide', save);
    return () => {
      box?.removeEventListener('scrollend', save);
      window.removeEventListener('pagehide', save);
      save();
    };
  }, [memory, scroller, list]);
}

function indexOfKey(rows: RowList, key: string): number {
  for (let at = 0; at < rows.length; at += 1) if (rows.at(at).key === key) return at;
  return -1;
}

function topOf(rows: RowList, list: RefObject<VirtualizerHandle | null>): ReadingPlace['top'] {
  const { current: handle } = list;
  if (handle === null || rows.length === 0) return null;
  const at = Math.min(handle.findItemIndex(handle.scrollOffset), rows.length - 1);
  const offset = Math.round(handle.scrollOffset - handle.getItemOffset(at));
  return { key: rows.at(at).key, offset };
}
