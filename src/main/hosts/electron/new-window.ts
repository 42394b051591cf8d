import { BrowserWindow, nativeTheme, screen } from 'electron';
import { guardWindow, PAGE_URL } from './page-guard';
import { offerPageMenu } from './page-menu';
import type { TitleBars } from './title-bar';
import { fitted, type WindowState, windowOptions } from './window-state';

/** The parts that every window is made with. */
export interface NewWindowParts {
  readonly preload: string;
  readonly icon: string;
  readonly titleBars: TitleBars;
}

/** Opens a window at a place, with its page loading behind its guards. It asks for a connection by itself, and waits for it. */
export function newWindow(
  place: WindowState,
  { preload, icon, titleBars }: NewWindowParts,
): BrowserWindow {
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  const bounds = place.bounds && fitted(place.bounds, screens);
  const dark = nativeTheme.shouldUseDarkColors;
  const window = new BrowserWindow(windowOptions(titleBars.options(), bounds, preload, dark, icon));
  // A new window is no larger than the main screen (microsoft/vscode#74872).
  if (bounds !== undefined) window.setBounds(bounds);
  titleBars.follow(window);
  guardWindow(window);
  offerPageMenu(window);
  showWhenReady(window, place.maximized);
  window.loadURL(PAGE_URL).catch(() => {});
  return window;
}

/** The longest wait for a page that does not say that it can be drawn. Milliseconds. */
const SHOWN_AFTER_MS = 3_000;

/**
 * Shows a window once its page can be drawn, maximised if it was: that shows it too. On Wayland a hidden window gets no frames
 * and never says so (electron/electron#48859). So it is shown when its page is loaded there, and after a while in any case.
 */
function showWhenReady(window: BrowserWindow, maximized: boolean): void {
  let shown = false;
  const reveal = () => {
    clearTimeout(late);
    if (shown || window.isDestroyed()) return;
    shown = true;
    if (maximized) window.maximize();
    window.show();
  };
  const late = setTimeout(reveal, SHOWN_AFTER_MS);
  window.once('closed', () => clearTimeout(late));
  window.once('ready-to-show', reveal);
  if (process.platform === 'linux') window.webContents.once('did-finish-load', reveal);
}
