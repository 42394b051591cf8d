import { realpathSync } from 'node:fs';
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  Menu,
  type RenderProcessGoneDetails,
} from 'electron';
import type { AppInfo } from '../../../shared/contract';
import type { Result } from '../../../shared/result';
import type { WindowRequest } from '../../../shared/window-request';
import type { ShowTarget, WindowEntry } from '../../app/app-feed';
import type { Workbench } from '../../app/workbench';
import { createRouter, type WindowRouter } from '../handlers/router';
import { type NewWindowParts, newWindow } from './new-window';
import type { OpenWindow, WindowStates } from './window-state';

/** The windows of the app: one per project, and one without until a folder is chosen. */
export interface Windows {
  /** Brings up the project's window, or opens one. */
  open(folder?: string): void;
  /** Brings up the window of a place, or opens one for it, and takes it there. A target without a place is for the front. */
  show(target: ShowTarget): void;
  /** Returns the window of a place, which may lie behind others; null when none has it. */
  windowOf(target: ShowTarget): BrowserWindow | null;
  /** Carries out a command of the page in the window at the front. */
  run(command: string): void;
  /** Returns the window to put a dialog on or to show something in; null when there is none. */
  current(): BrowserWindow | null;
  routerOf(webContentsId: number): WindowRouter | null;
  /** Asks a page for something, or tells it. */
  tell(webContentsId: number, request: WindowRequest): void;
  /** Resolves when the first one is shown. */
  readonly shown: Promise<void>;
  /** Tells whether any window has the focus. */
  focused(): boolean;
  /** Opens the windows that were open when Lathe ran last. Returns how many. */
  restore(): number;
  /** Hides all windows and writes down for the last time which are open, and where. */
  leave(): Promise<void>;
}

/** The parts windows are made of. */
export interface WindowParts extends NewWindowParts {
  readonly workbench: Workbench;
  readonly info: Omit<AppInfo, 'folder'>;
  readonly places: WindowStates;
  /** A window that is open already, at the place of the first one. */
  readonly early: BrowserWindow | null;
  /** Lets the user choose a folder; first are those around `beside`. */
  pickFolder(parent: BrowserWindow, beside: string | undefined): Promise<Result<string | null>>;
  onFocus(): void;
  /** Called before the last window closes. Returns whether it stays open for now. */
  keepsLast(window: BrowserWindow): boolean;
  /** Called for each page that died. */
  onCrash(details: RenderProcessGoneDetails): void;
  /** Called when a page died again and again. `replace` opens a new window in the place of this one. */
  onHopeless(replace: () => void): void;
}

interface ShownWindow {
  readonly window: BrowserWindow;
  readonly router: WindowRouter;
  readonly entry: WindowEntry;
}

/** Creates the table of windows, which starts empty. */
export function createWindows(parts: WindowParts): Windows {
  const open = new Map<number, ShownWindow>();
  let left = false;
  const shown = Promise.withResolvers<void>();
  let { early } = parts;
  /** Returns the window that was opened before there was anything to serve it, once: it becomes the first one. */
  const takeEarly = (): BrowserWindow | null => {
    const taken = early?.isDestroyed() ? null : early;
    early = null;
    // Nobody has watched it so far.
    if (taken?.webContents.isCrashed()) taken.webContents.reload();
    return taken;
  };

  const create = (folder: string | undefined, place = parts.places.of(folder)): ShownWindow => {
    const window = takeEarly() ?? newWindow(place, parts);
    const info: AppInfo = {
      ...parts.info,
      ...(folder === undefined ? {} : { folder }),
      ownTitleBar: parts.titleBars.own,
    };
    const entry = parts.workbench.openWindow();
    const router = createRouter({
      window: entry,
      workbench: parts.workbench,
      info,
      quit: () => app.quit(),
      pickFolder: () => parts.pickFolder(window, projectNear(entry)),
      clipboardText: () => clipboard.readText(),
      openMenu: (place) => Menu.getApplicationMenu()?.popup({ window, ...place }),
    });
    if (window.isVisible()) shown.resolve();
    else window.once('show', () => shown.resolve());
    const { id } = window.webContents;
    const created = { window, router, entry };
    if (folder !== undefined) entry.opened(folder);
    open.set(id, created);
    reviveOnCrash(window, parts, () => {
      const { project, sessionId } = entry.shown();
      const next = create(project ?? undefined);
      if (sessionId !== null) next.entry.ask({ type: 'show', sessionId });
      if (!window.isDestroyed()) window.destroy();
    });
    offerReloadWhenHung(window);
    window.on('focus', parts.onFocus);
    window.on('close', (event) => {
      if (!left && open.size === 1 && parts.keepsLast(window)) event.preventDefault();
      else parts.places.remember(placeOf(created));
    });
    // Not only at the end: a crash comes without a word, and Windows ends its session without quitting an app.
    const saveNow = () => {
      save().catch(() => {});
    };
    window.on('blur', saveNow);
    window.on('query-session-end', saveNow);
    window.on('closed', () => {
      open.delete(id);
      entry.close();
      save().catch(() => {});
    });
    return created;
  };
  /** Returns the project of a window; where it has none, of the newest one that has. */
  const projectNear = (entry: WindowEntry): string | undefined =>
    [entry, ...[...open.values()].reverse().map((other) => other.entry)]
      .map((one) => one.shown().project)
      .find((project) => project !== null);
  const placeOf = ({ window, entry }: ShownWindow): OpenWindow => ({
    ...entry.shown(),
    bounds: window.getNormalBounds(),
    maximized: window.isMaximized(),
  });
  const save = async () => {
    if (!left) await parts.places.save([...open.values()].map(placeOf));
  };
  const focused = () => BrowserWindow.getFocusedWindow();
  /** The window at the front, or the newest one. */
  const front = (): ShownWindow | null => {
    const id = focused()?.webContents.id;
    return (id === undefined ? undefined : open.get(id)) ?? [...open.values()].at(-1) ?? null;
  };
  const ofPlace = (target: ShowTarget): ShownWindow | null => {
    const entry = parts.workbench.windowFor(target);
    return [...open.values()].find((one) => one.entry === entry) ?? null;
  };

  return {
    open(asked) {
      const folder = asked === undefined ? undefined : realFolder(asked);
      const known = folder === undefined ? null : ofPlace({ project: folder });
      if (known === null) create(folder);
      else bringUp(known.window);
    },
    show(asked) {
      const { project } = asked;
      const target = project === undefined ? asked : { ...asked, project: realFolder(project) };
      const known =
        project === undefined && asked.sessionId === undefined ? front() : ofPlace(target);
      const shown = known ?? create(target.project);
      bringUp(shown.window);
      shown.entry.ask({ type: 'show', ...target });
    },
    windowOf: (target) => ofPlace(target)?.window ?? null,
    run(id) {
      const { entry } = front() ?? create(undefined);
      entry.ask({ type: 'command', id });
    },
    current: () => front()?.window ?? null,
    routerOf: (id) => open.get(id)?.router ?? null,
    tell: (id, request) => open.get(id)?.entry.ask(request),
    shown: shown.promise,
    focused: () => focused() !== null,
    restore() {
      for (const { project, sessionId, ...place } of parts.places.lastOpen) {
        const { entry } = create(project ?? undefined, place);
        if (sessionId !== null) entry.ask({ type: 'show', sessionId });
      }
      return parts.places.lastOpen.length;
    },
    async leave() {
      for (const one of open.values()) {
        parts.places.remember(placeOf(one));
        one.window.hide();
      }
      const saved = save();
      left = true;
      await saved;
    },
  };
}

/** Returns a folder as the system writes it, whatever link or spelling leads there; one that is not there as it is. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Shows a window in front of all others; one whose page is not there yet comes by itself. */
export function bringUp(window: BrowserWindow): void {
  if (comesByItself(window)) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Tells whether a window is not shown yet, and will be once its page can be drawn. */
export const comesByItself = (window: BrowserWindow): boolean =>
  !window.isVisible() && !window.isMinimized() && window.webContents.isLoadingMainFrame();

/** A page that dies more often than this within a minute is not loaded again by itself. */
const MAX_REVIVALS = 3;
const MINUTE_MS = 60_000;

/** Loads a page again when its process died: the engine lives elsewhere, nothing is lost. */
function reviveOnCrash(
  window: BrowserWindow,
  { onCrash, onHopeless }: Pick<WindowParts, 'onCrash' | 'onHopeless'>,
  replace: () => void,
): void {
  let deaths: number[] = [];
  window.webContents.on('render-process-gone', (_, details) => {
    if (details.reason === 'clean-exit' || window.isDestroyed()) return;
    onCrash(details);
    const now = performance.now();
    deaths = [...deaths.filter((at) => now - at < MINUTE_MS), now];
    if (deaths.length > MAX_REVIVALS) onHopeless(replace);
    else window.webContents.reload();
  });
}

/** Asks what to do with a page that answers no more; the question goes away when the page answers again. */
function offerReloadWhenHung(window: BrowserWindow): void {
  let asking: AbortController | null = null;
  const ask = async (signal: AbortSignal) => {
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      message: 'This window does not answer.',
      detail: 'Your sessions and terminals go on. Loading the window again loses none of them.',
      buttons: ['Wait', 'Load it again'],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      signal,
    });
    // A page that hangs cannot be reloaded; one that died is loaded again by itself.
    if (response === 1 && !window.isDestroyed()) window.webContents.forcefullyCrashRenderer();
  };
  window.on('unresponsive', () => {
    if (asking !== null) return;
    const question = new AbortController();
    asking = question;
    ask(question.signal)
      .catch(() => {})
      .finally(() => {
        asking = null;
      });
  });
  window.on('responsive', () => asking?.abort());
}
