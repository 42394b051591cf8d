import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';

/** Where a window was, and how. */
export interface WindowPlace {
  readonly bounds?: Rectangle;
  readonly maximized: boolean;
}

const DEFAULT_SIZE = { width: 1280, height: 800 };

/** The options of every window: a locked-down page (THREATS 10) at its remembered place. */
export const windowOptions = (
  place: WindowPlace,
  preload: string,
  dark: boolean,
  icon: string,
): BrowserWindowConstructorOptions => ({
  ...DEFAULT_SIZE,
  ...place.bounds,
  minWidth: 480,
  minHeight: 360,
  show: false,
  title: 'Lathe',
  icon,
  backgroundColor: dark ? '#16171a' : '#ffffff',
  webPreferences: {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  },
});

/** Whether a remembered place still lies on one of the screens, at least with a corner to grab. */
export const isVisible = (bounds: Rectangle, screens: readonly Rectangle[]): boolean =>
  screens.some(
    (screen) =>
      bounds.x < screen.x + screen.width - 50 &&
      bounds.x + bounds.width > screen.x + 50 &&
      bounds.y >= screen.y - 10 &&
      bounds.y < screen.y + screen.height - 50,
  );
