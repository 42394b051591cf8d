import { BrowserWindow, nativeTheme, screen } from 'electron';
import type { AppInfo } from '../../../shared/contract';
import type { Result } from '../../../shared/result';
import type { Workbench } from '../../app/workbench';
import { createRouter, type WindowRouter } from '../handlers/router';
import { guardWindow, PAGE_URL } from './page-guard';
import { isVisible, type WindowStates, windowOptions } from './window-state';

/** The windows of the app: one per project, and one without until a folder is chosen. */
export interface Windows {
  /** Brings up the project's window, or opens one. */
  open(folder?: string): BrowserWindow;
  /** Returns the window to put a dialog on or to show something in; null when there is none. */
  current(): BrowserWindow | null;
  routerOf(webContentsId: number): WindowRouter | null;
  /** Tells whether any window has the focus. */
  focused(): boolean;
}

/** The parts windows are made of. */
export interface WindowParts {
  readonly workbench: Workbench;
  readonly info: Omit<AppInfo, 'folder'>;
  readonly preload: string;
  readonly icon: string;
  readonly places: WindowStates;
  pickFolder(parent: BrowserWindow): Promise<Result<string | null>>;
  onFocus(): void;
  /** Called when a page died again and again. */
  onHopeless(window: BrowserWindow): void;
}

interface OpenWindow {
  readonly window: BrowserWindow;
  readonly router: WindowRouter;
  readonly folder: string | undefined;
}

/** Creates the table of windows, which starts empty. */
export function createWindows(parts: WindowParts): Windows {
  const open = new Map<number, OpenWindow>();

  const create = (folder: string | undefined): BrowserWindow => {
    const place = parts.places.of(folder);
    const screens = screen.getAllDisplays().map((display) => display.workArea);
    const seen = place.bounds !== undefined && isVisible(place.bounds, screens);
    const kept = seen ? place : { maximized: place.maximized };
    const window = new BrowserWindow(
      windowOptions(kept, parts.preload, nativeTheme.shouldUseDarkColors, parts.icon),
    );
    const info: AppInfo = { ...parts.info, ...(folder === undefined ? {} : { folder }) };
    const entry = parts.workbench.openWindow();
    const router = createRouter({
      window: entry,
      workbench: parts.workbench,
      info,
      pickFolder: () => parts.pickFolder(window),
    });
    const { id } = window.webContents;
    open.set(id, { window, router, folder });
    guardWindow(window);
    reviveOnCrash(window, () => parts.onHopeless(window));
    if (place.maximized) window.maximize();
    window.once('ready-to-show', () => window.show());
    window.on('focus', parts.onFocus);
    window.on('close', () => {
      parts.places
        .remember(folder, { bounds: window.getNormalBounds(), maximized: window.isMaximized() })
        .catch(() => {});
    });
    window.on('closed', () => {
      open.delete(id);
      entry.close();
    });
    window.loadURL(PAGE_URL).catch(() => {});
    return window;
  };

  return {
    open(folder) {
      const known = [...open.values()].find((entry) => entry.folder === folder);
      if (known === undefined || folder === undefined) return create(folder);
      bringUp(known.window);
      return known.window;
    },
    current: () => BrowserWindow.getFocusedWindow() ?? [...open.values()].at(-1)?.window ?? null,
    routerOf: (id) => open.get(id)?.router ?? null,
    focused: () => BrowserWindow.getFocusedWindow() !== null,
  };
}

/** Shows a window in front of all others. */
export function bringUp(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** A page that dies more often than this within a minute is not loaded again by itself. */
const MAX_REVIVALS = 3;
const MINUTE_MS = 60_000;

/** Loads a page again when its process died: the engine lives elsewhere, nothing is lost. */
function reviveOnCrash(window: BrowserWindow, giveUp: () => void): void {
  let deaths: number[] = [];
  window.webContents.on('render-process-gone', (_, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const now = performance.now();
    deaths = [...deaths.filter((at) => now - at < MINUTE_MS), now];
    if (deaths.length > MAX_REVIVALS) giveUp();
    else window.webContents.reload();
  });
}
