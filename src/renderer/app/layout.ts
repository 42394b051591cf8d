/** Sizes of the panes in percent of what they share, and whether the outer columns are open (0 or 1). */
export interface Layout {
  readonly side: number;
  readonly dock: number;
  /** The dock's upper half. */
  readonly panels: number;
  readonly sideOpen: boolean;
  readonly dockOpen: boolean;
}

/** Below this width the outer columns lie over the conversation instead of beside it. CSS pixels. */
export const NARROW_PX = 1000;

/** Widths of the columns in pixels: what a session list, prose and an 80-column terminal need. */
export const SIDE_MIN_PX = 180;
export const CENTRE_MIN_PX = 380;
export const DOCK_MIN_PX = 280;

const clamp = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));

/** A layout that suits a window of this width: the session list stays small, the dock grows with the room. */
export function defaultLayout(width: number): Layout {
  const side = clamp(210, width * 0.165, 280);
  const dock = clamp(340, width * 0.32, 760);
  return {
    side: (side / width) * 100,
    dock: (dock / width) * 100,
    panels: 40,
    sideOpen: true,
    dockOpen: true,
  };
}

/** What was remembered, over the defaults; nonsense is ignored. */
export function readLayout(
  stored: Readonly<Record<string, number>> | undefined,
  width: number,
): Layout {
  const fallback = defaultLayout(width);
  const size = (name: 'side' | 'dock' | 'panels') => {
    const value = stored?.[name];
    return value !== undefined && value >= 5 && value <= 90 ? value : fallback[name];
  };
  return {
    side: size('side'),
    dock: size('dock'),
    panels: size('panels'),
    sideOpen: stored?.['sideOpen'] !== 0,
    dockOpen: stored?.['dockOpen'] !== 0,
  };
}

/** A layout as the preferences keep it. */
export const writeLayout = (layout: Layout): Record<string, number> => ({
  side: round(layout.side),
  dock: round(layout.dock),
  panels: round(layout.panels),
  sideOpen: layout.sideOpen ? 1 : 0,
  dockOpen: layout.dockOpen ? 1 : 0,
});

const round = (percent: number): number => Math.round(percent * 100) / 100;
