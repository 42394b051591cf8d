import { EventEmitter } from 'node:events';
import type { Page } from '@playwright/test';
import type {
  BrowserWindowConstructorOptions,
  Rectangle,
  TitleBarOverlay,
  TitleBarOverlayOptions,
} from 'electron';
import { preventable } from './app-double';

type OpenHandler = (details: { url: string }) => { action: string };

/** The page's side of a window. */
class WebContentsDouble extends EventEmitter {
  url = '';
  reloads = 0;
  readonly respelled: string[] = [];
  readonly learned: string[] = [];
  readonly inspected: (readonly [number, number])[] = [];
  #openHandler: OpenHandler = () => ({ action: 'allow' });
  constructor(readonly id: number) {
    super();
  }
  /** Its page is not there yet. */
  loading = true;
  getURL = () => this.url;
  isLoadingMainFrame = () => this.loading;
  crashed = false;
  isCrashed = () => this.crashed;
  replaceMisspelling = (word: string) => this.respelled.push(word);
  inspectElement = (x: number, y: number) => this.inspected.push([x, y]);
  session = { addWordToSpellCheckerDictionary: (word: string) => this.learned.push(word) > 0 };
  setWindowOpenHandler = (handler: OpenHandler) => {
    this.#openHandler = handler;
  };
  reload = () => {
    this.reloads += 1;
  };
  /** Ends the page's process; the event tells of it. */
  forcefullyCrashRenderer = () => {
    this.emit('render-process-gone', {}, { reason: 'killed', exitCode: 9 });
  };
  /** `window.open` of the page; gives what Electron would do. */
  openFromPage = (url: string) => this.#openHandler({ url }).action;
  /** A navigation of the page, or of a frame in it; gives whether it happens. */
  navigateFromPage(url: string, isMainFrame = true): boolean {
    const happens = (name: string) => {
      const event = preventable({ url, isMainFrame });
      this.emit(name, event);
      return !event.defaultPrevented;
    };
    return happens('will-frame-navigate') && (!isMainFrame || happens('will-navigate'));
  }
  /** A `<webview>` of the page; gives whether it comes to be. */
  attachFromPage(): boolean {
    const event = preventable({});
    this.emit('will-attach-webview', event);
    return !event.defaultPrevented;
  }
}

/** What windows are made with: how a page is opened for one. */
export interface WindowHooks {
  open(window: WindowDoubleInstance): Promise<Page | null>;
  readonly all: WindowDoubleInstance[];
  /** The last one is gone. */
  allClosed(): void;
  /** A hidden window is drawn, and says so; on Wayland it is not. */
  readonly framesWhileHidden: boolean;
  /** The app has exited: windows go without a word. */
  ended(): boolean;
  focused: WindowDoubleInstance | null;
}

export type WindowDoubleInstance = InstanceType<ReturnType<typeof windowDouble>>;

/** Returns the bounds of a new window: no larger than the main screen, wherever it is. */
function boundsOf(options: BrowserWindowConstructorOptions, main: Rectangle): Rectangle {
  const { x = 10, y = 20, width = 900, height = 700 } = options;
  return { x, y, width: Math.min(width, main.width), height: Math.min(height, main.height) };
}

/** Returns the overlay of a new window: there is none below a title bar of the system, whatever is said of it. */
const overlayIn = ({
  titleBarStyle = 'default',
  titleBarOverlay = false,
}: BrowserWindowConstructorOptions): TitleBarOverlay | null => {
  if (titleBarStyle === 'default' || titleBarOverlay === false) return null;
  return titleBarOverlay === true ? {} : titleBarOverlay;
};

/** Throws for what Chromium does not read as a colour of CSS; of its syntax, what the app uses. */
const checkColor = (color: string | undefined, message: string): void => {
  if (color !== undefined && !/^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(color))
    throw new TypeError(message);
};

/** Builds the `BrowserWindow` class of one double. */
export function windowDouble(hooks: WindowHooks, mainScreen: Rectangle) {
  return class WindowDouble extends EventEmitter {
    static getFocusedWindow = () => hooks.focused;
    readonly webContents = new WebContentsDouble(hooks.all.length + 1);
    page: Page | null = null;
    shown = false;
    /** It was shown when its page could not be drawn yet. */
    shownEmpty = false;
    /** It was shown as soon as its page was loaded. */
    shownOnceLoaded = false;
    maximized = false;
    minimized = false;
    #ready = false;
    destroyed = false;
    bounds = mainScreen;
    overlay: TitleBarOverlay | null = null;
    constructor(readonly options: BrowserWindowConstructorOptions) {
      super();
      this.bounds = boundsOf(options, mainScreen);
      this.overlay = overlayIn(options);
      hooks.all.push(this);
    }
    async loadURL(url: string): Promise<void> {
      this.webContents.url = url;
      this.page = await hooks.open(this);
      this.#ready = true;
      this.webContents.loading = false;
      if (hooks.framesWhileHidden) this.emit('ready-to-show');
      this.webContents.emit('did-finish-load');
      this.webContents.emit('did-stop-loading');
      this.shownOnceLoaded = this.shown;
    }
    show = () => {
      const before = this.shown;
      this.shown = true;
      this.shownEmpty ||= !this.#ready;
      if (!before) this.emit('show');
    };
    hide = () => {
      this.shown = false;
    };
    focus = () => {
      const before = hooks.focused;
      if (before !== null && before !== this) before.emit('blur');
      hooks.focused = this;
      this.emit('focus');
    };
    /** Shows a hidden window, too. */
    maximize = () => {
      this.maximized = true;
      this.show();
    };
    restore = () => {
      this.minimized = false;
    };
    flashFrame = () => {};
    isMinimized = () => this.minimized;
    isFocused = () => hooks.focused === this;
    isVisible = () => this.shown;
    isMaximized = () => this.maximized;
    isDestroyed = () => this.destroyed;
    getNormalBounds = (): Rectangle => this.bounds;
    setBounds(bounds: Rectangle): void {
      this.bounds = bounds;
    }
    setTitleBarOverlay(changed: TitleBarOverlayOptions): void {
      if (process.platform === 'darwin') throw new TypeError('not a function');
      if (this.destroyed) throw new TypeError('Object has been destroyed');
      if (this.overlay === null) throw new TypeError('Titlebar overlay is not enabled');
      checkColor(changed.color, 'Could not parse color as CSS color');
      checkColor(changed.symbolColor, 'Could not parse symbol color as CSS color');
      this.overlay = { ...this.overlay, ...changed };
    }
    /** A menu bar lies over the page in a window with the system's title bar alone; the menu's keys count in every one. */
    hasMenuBar = (): boolean =>
      process.platform !== 'darwin' && (this.options.titleBarStyle ?? 'default') === 'default';
    /** The user closes it. */
    close(): void {
      const event = preventable({});
      this.emit('close', event);
      if (!event.defaultPrevented) this.destroy();
    }
    destroy(): void {
      this.destroyed = true;
      if (hooks.focused === this) hooks.focused = null;
      this.page?.close().catch(() => {});
      this.emit('closed');
      if (!hooks.ended() && hooks.all.every(({ destroyed }) => destroyed)) hooks.allClosed();
    }
  };
}
