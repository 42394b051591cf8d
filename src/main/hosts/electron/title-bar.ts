import {
  type BrowserWindow,
  type BrowserWindowConstructorOptions,
  nativeTheme,
  systemPreferences,
  type TitleBarOverlay,
} from 'electron';

/** The title bars of all windows: the top row of the page (`title-bar.css`), or the system's own. */
export interface TitleBars {
  /** The page's top row is the title bar. */
  readonly own: boolean;
  /** Returns the options of a new window. */
  options(): BrowserWindowConstructorOptions;
  /** Keeps the buttons of a window in step with the theme and the zoom. */
  follow(window: BrowserWindow): void;
  /** Sets the zoom of the pages. */
  zoom(factor: number): void;
}

/** The look of a window's buttons. */
export interface ButtonLook {
  readonly dark: boolean;
  readonly zoom: number;
  /** The colour of text while the system forces its own colours on every app, else null. */
  readonly forcedText: string | null;
}

/** The height of the page's top row at the normal zoom. Pixels. */
const ROW_HEIGHT = 44;

/**
 * Returns the overlay with the window's buttons on Windows and Linux. It lets the page through, so that what lies over the row
 * dims it; Linux blends the hovered buttons with its hidden colour, so that is the page's. Pure.
 */
export const overlayOf = ({ dark, zoom, forcedText }: ButtonLook): TitleBarOverlay => ({
  color: dark ? '#14151700' : '#ffffff00',
  symbolColor: forcedText ?? (dark ? '#e7e8ea' : '#1b1c1f'),
  height: Math.round(ROW_HEIGHT * zoom),
});

/**
 * Returns the options of a window whose page is its title bar. A window of Windows or Linux then has no menu bar, and keeps the
 * menu's keys (`root_view.cc` of Electron); the page offers the menu itself. Pure.
 */
export const titleBarOptions = (
  platform: NodeJS.Platform,
  look: ButtonLook,
): BrowserWindowConstructorOptions =>
  platform === 'darwin'
    ? {
        titleBarStyle: 'hidden',
        titleBarOverlay: { height: ROW_HEIGHT },
        // In the middle of that row.
        trafficLightPosition: { x: 14, y: 14 },
      }
    : { titleBarStyle: 'hidden', titleBarOverlay: overlayOf(look) };

/** Creates the title bars. `wantsSystemBar` does not count on macOS, where the menu is elsewhere in any case. */
export function createTitleBars(wantsSystemBar: boolean, initialZoom: number): TitleBars {
  const { platform } = process;
  const own = platform === 'darwin' || !wantsSystemBar;
  const followed = new Set<BrowserWindow>();
  let zoom = initialZoom;
  const look = (): ButtonLook => ({
    dark: nativeTheme.shouldUseDarkColors,
    zoom,
    forcedText:
      platform === 'win32' && nativeTheme.inForcedColorsMode
        ? systemPreferences.getColor('window-text')
        : null,
  });
  const show = () => {
    for (const window of followed) window.setTitleBarOverlay(overlayOf(look()));
  };
  nativeTheme.on('updated', show);
  return {
    own,
    options: () => (own ? titleBarOptions(platform, look()) : {}),
    follow(window) {
      // It throws in a window that was made without an overlay, and macOS has nothing to set.
      if (!own || platform === 'darwin') return;
      followed.add(window);
      window.once('closed', () => followed.delete(window));
    },
    zoom(factor) {
      if (factor === zoom) return;
      zoom = factor;
      show();
    },
  };
}
