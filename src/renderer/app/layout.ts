import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { setPreferences, withLayout } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';

/** Sizes of the panes in percent of what they share, and whether the outer columns are open (0 or 1). */
export interface Layout {
  readonly side: number;
  readonly dock: number;
  /** The dock's upper half. */
  readonly panels: number;
  readonly sideOpen: boolean;
  readonly dockOpen: boolean;
  /** The dock was opened or closed once; until then it opens by itself when there is something in it. */
  readonly dockChosen: boolean;
}

/** Below this width the outer columns lie over the conversation instead of beside it. CSS pixels. */
const NARROW_PX = 1024;

/** From this width on the dock is open before there is anything in it. CSS pixels. */
const ROOMY_PX = 1280;

/** Widths of the columns in pixels: what a session list, prose and an 80-column terminal need. */
export const SIDE_MIN_PX = 180;
export const CENTRE_MIN_PX = 560;
export const DOCK_MIN_PX = 280;

const clamp = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));

/** Returns a layout that suits a window of this width: the session list stays small, the dock grows with the room. */
export function defaultLayout(width: number): Layout {
  const side = clamp(SIDE_MIN_PX, width * 0.165, 280);
  const left = width - side - CENTRE_MIN_PX - DIVIDERS_PX;
  const dock = clamp(DOCK_MIN_PX, Math.min(width * 0.32, left), 760);
  return {
    side: (side / width) * 100,
    dock: (dock / width) * 100,
    panels: 40,
    sideOpen: true,
    dockOpen: width >= ROOMY_PX,
    dockChosen: false,
  };
}

/** The two lines between the columns, in pixels. */
const DIVIDERS_PX = 2;

/** The shares of the columns of what they have together, in percent, by their ids. */
export type Shares = Readonly<Record<string, number>>;

/** The outer columns that are open. */
export type Opened = Pick<Layout, 'sideOpen' | 'dockOpen'>;

/** Widths of the outer columns in pixels. */
export interface Widths {
  readonly side: number;
  readonly dock: number;
}

/**
 * Returns the shares in which the open outer columns are as wide as they are wanted, as far as the conversation keeps its
 * room in `width` pixels: the dock gives way first, then the list, each down to its least width. Pure.
 */
export function fitted(wanted: Widths, open: Opened, width: number): Record<string, number> {
  const room = width - DIVIDERS_PX - CENTRE_MIN_PX;
  const least = open.sideOpen ? SIDE_MIN_PX : 0;
  const leastDock = open.dockOpen ? DOCK_MIN_PX : 0;
  const sidePx = open.sideOpen ? clamp(least, wanted.side, Math.max(least, room - leastDock)) : 0;
  const dockPx = open.dockOpen
    ? clamp(leastDock, wanted.dock, Math.max(leastDock, room - sidePx))
    : 0;
  const side = (sidePx / width) * 100;
  const dock = (dockPx / width) * 100;
  return { side, centre: 100 - side - dock, dock };
}

/** Reads a stored layout over the defaults; values out of range are ignored. */
export function readLayout(
  stored: Readonly<Record<string, number>> | undefined,
  width: number,
): Layout {
  const fallback = defaultLayout(width);
  const size = (name: 'side' | 'dock' | 'panels') => {
    const value = stored?.[name];
    return value !== undefined && value >= 5 && value <= 90 ? value : fallback[name];
  };
  const open = (name: 'sideOpen' | 'dockOpen') =>
    stored?.[name] === undefined ? fallback[name] : stored[name] !== 0;
  return {
    side: size('side'),
    dock: size('dock'),
    panels: size('panels'),
    sideOpen: open('sideOpen'),
    dockOpen: open('dockOpen'),
    dockChosen: stored?.['dockOpen'] !== undefined,
  };
}

/** Returns a layout as the preferences keep it. */
export const writeLayout = (layout: Layout): Record<string, number> => ({
  side: round(layout.side),
  dock: round(layout.dock),
  panels: round(layout.panels),
  sideOpen: layout.sideOpen ? 1 : 0,
  ...(layout.dockChosen ? { dockOpen: layout.dockOpen ? 1 : 0 } : {}),
});

const round = (percent: number): number => Math.round(percent * 100) / 100;

/** Layout changes are written down once things have been still for this long, in milliseconds. */
const SAVE_AFTER_MS = 500;

/** Returns the stored layout of a project, a function that stores a change, and what is known before it is stored. */
export function useLayout(project: string): {
  readonly initial: Layout;
  readonly save: (patch: Partial<Layout>) => void;
  /** Tells whether the user opened or closed the dock once, also when that is not stored yet. */
  readonly isDockChosen: () => boolean;
} {
  const lathe = useLathe();
  const current = useRef<{ project: string; layout: Layout } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  const stored = useScreen((s) => s.app?.preferences.layout[project]);
  if (current.current?.project !== project) {
    current.current = { project, layout: readLayout(stored, window.innerWidth / zoom) };
  }
  const { layout: initial } = current.current;
  const write = useCallback(() => {
    timer.current = null;
    const layouts = lathe.store.getState().app?.preferences.layout;
    const now = current.current;
    if (!layouts || !now) return;
    void setPreferences(lathe, {
      layout: withLayout(layouts, now.project, writeLayout(now.layout)),
    });
  }, [lathe]);
  const save = useCallback(
    (patch: Partial<Layout>) => {
      const now = current.current;
      if (now === null) return;
      const layout = { ...now.layout, ...patch };
      const dockChosen = layout.dockChosen || layout.dockOpen !== now.layout.dockOpen;
      current.current = { ...now, layout: { ...layout, dockChosen } };
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = setTimeout(write, SAVE_AFTER_MS);
    },
    [write],
  );
  useEffect(
    () => () => {
      if (timer.current === null) return;
      clearTimeout(timer.current);
      write();
    },
    [write],
  );
  const isDockChosen = useCallback(() => current.current?.layout.dockChosen === true, []);
  return { initial, save, isDockChosen };
}

/** Returns true while the window is too narrow for three columns, zoom included. */
export function useNarrow(): boolean {
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  return useSyncExternalStore(subscribe, () => window.innerWidth / zoom < NARROW_PX);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}
