import { EventEmitter } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { BrowserContext } from '@playwright/test';
import type {
  CustomScheme,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  OpenDialogOptions,
  PopupOptions,
  Rectangle,
} from 'electron';
import { AppDouble } from './app-double';
import { downloadAsElectron } from './download-double';
import { openPage, STAND_IN } from './page-double';
import type { PortDouble } from './ports-double';
import { type WindowDoubleInstance, type WindowHooks, windowDouble } from './window-double';

type Handler = (request: Request) => Promise<Response>;
type Listener = (...args: never[]) => unknown;

/** How the double's system behaves. */
export interface DoubleOptions {
  /** Real pages are opened here; without it windows stay empty. */
  readonly context?: BrowserContext;
  readonly first?: boolean;
  /** What Chromium seals with: a secret of the keychain, or its fixed password. Default: a secret. */
  readonly sealing?: 'secret' | 'fixed password';
  readonly wayland?: boolean;
  /** The app is a package. */
  readonly packaged?: boolean;
  /** The screens, the main one first. */
  readonly screens?: readonly Rectangle[];
}

const FULL_HD: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };

/** A notification of the system; on Windows one that had its time stays in a list. */
class NotificationDouble extends EventEmitter {
  static isSupported = () => true;
  shown: 'not yet' | 'on screen' | 'in the list' | 'no more' = 'not yet';
  show = () => {
    this.shown = 'on screen';
  };
  timeOut = () => {
    this.shown = 'in the list';
    this.emit('close', { reason: 'timedOut' });
  };
  close = () => {
    const seen = this.shown === 'on screen';
    this.shown = 'no more';
    if (seen) this.emit('close', {});
  };
}

/** The theme; the system itself is light. Its event comes after a change, not with it. */
class NativeThemeDouble extends EventEmitter {
  #source = 'system';
  inForcedColorsMode = false;
  get themeSource(): string {
    return this.#source;
  }
  set themeSource(source: string) {
    if (source === this.#source) return;
    this.#source = source;
    setImmediate(() => this.emit('updated'));
  }
  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark';
  }
}

/** A stand-in of the `electron` module, and what the app did with it. */
export function createElectronDouble(options: DoubleOptions = {}) {
  const app = new AppDouble(options.first ?? true, options.packaged ?? false);
  const { screens = [FULL_HD] } = options;
  const schemes: CustomScheme[] = [];
  const handlers = new Map<string, Handler>();
  const permissions: { request?: Listener; check?: Listener; device?: Listener } = {};
  const dialogs: MessageBoxOptions[] = [];
  /** The dialogs that held up the main process. */
  const heldUp: MessageBoxOptions[] = [];
  const errors: string[] = [];
  const opened: string[] = [];
  /** The ends of downloads of pages. */
  const downloads: string[] = [];
  const copied: string[] = [];
  const proxied: string[] = [];
  /** Where the dialogs for folders began. */
  const pickedNear: (string | undefined)[] = [];
  const answers = { box: 0, folder: { canceled: false, filePaths: ['/picked'] } };
  const ipcMain = new EventEmitter();
  let menu: MenuItemConstructorOptions[] = [];
  const notifications: NotificationDouble[] = [];
  const popups: MenuItemConstructorOptions[][] = [];
  /** The places of the menus that were opened; without one they open at the mouse. */
  const popupPlaces: PopupOptions[] = [];
  /** The blockers of sleep that hold, by their kinds. */
  const awake = new Map<number, string>();

  const ipc = (window: WindowDoubleInstance, frameUrl: string, ports: readonly PortDouble[]) =>
    ipcMain.emit('lathe:connect', {
      sender: window.webContents,
      senderFrame: { url: frameUrl, parent: null },
      ports,
    });
  const hooks: WindowHooks = {
    all: [],
    focused: null,
    // Who does not listen is quit for.
    allClosed: () => app.emit('window-all-closed') || app.quit(),
    framesWhileHidden: options.wayland !== true,
    ended: () => app.record.exitCode !== null,
    async open(window) {
      if (options.context === undefined) return null;
      const page = await openPage(options.context, window.options.webPreferences?.preload ?? '', {
        serve: (request) => {
          const handler = handlers.get('app');
          return handler ? handler(request) : Promise.resolve(new Response('', { status: 404 }));
        },
        ipc: (channel, ports) => {
          if (channel === 'lathe:connect') ipc(window, 'app://lathe/', ports);
        },
      });
      page.on('download', (download) => {
        const outcome = downloadAsElectron(session, download, window.webContents);
        outcome.then((how) => downloads.push(how)).catch(() => {});
      });
      await page.goto(STAND_IN);
      return page;
    },
  };
  app.on('double:exit', () => {
    for (const window of hooks.all) if (!window.destroyed) window.destroy();
  });
  class Notification extends NotificationDouble {
    constructor(readonly options: { title: string; body: string }) {
      super();
      notifications.push(this);
    }
  }
  const trays: InstanceType<typeof TrayDouble>[] = [];
  class TrayDouble {
    tip = '';
    menu: MenuItemConstructorOptions[] = [];
    destroyed = false;
    onClick = () => {};
    constructor(readonly image: string) {
      trays.push(this);
    }
    on = (_: 'click', listener: () => void) => {
      this.onClick = listener;
    };
    setToolTip = (tip: string) => {
      this.tip = tip;
    };
    setTitle = () => {};
    setContextMenu = (menu: MenuItemConstructorOptions[]) => {
      this.menu = menu;
    };
    destroy = () => {
      this.destroyed = true;
    };
  }
  /** The languages that are checked; what is set before a window opens counts. */
  const spelling: string[][] = [];
  const session = Object.assign(new EventEmitter(), {
    availableSpellCheckerLanguages: ['de', 'en-US', 'fr'],
    setSpellCheckerEnabled: () => {},
    setSpellCheckerLanguages: (languages: string[]) => spelling.push(languages),
    resolveProxy: async (url: string) => {
      proxied.push(url);
      return 'DIRECT';
    },
    setPermissionRequestHandler: (handler: Listener) => {
      permissions.request = handler;
    },
    setPermissionCheckHandler: (handler: Listener) => {
      permissions.check = handler;
    },
    setDevicePermissionHandler: (handler: Listener) => {
      permissions.device = handler;
    },
  });
  const electron = {
    app,
    net: { request: httpRequest },
    BrowserWindow: windowDouble(hooks, screens[0] ?? FULL_HD),
    clipboard: {
      writeText: (text: string) => copied.push(text),
      readText: async () => copied.at(-1) ?? '',
    },
    ipcMain,
    Notification,
    Menu: {
      buildFromTemplate: (template: MenuItemConstructorOptions[]) =>
        Object.assign(template, {
          popup: (options: PopupOptions = {}) => {
            popups.push(template);
            popupPlaces.push(options);
          },
        }),
      setApplicationMenu: (template: MenuItemConstructorOptions[]) => {
        menu = template;
      },
      getApplicationMenu: () => (menu.length === 0 ? null : menu),
    },
    nativeImage: { createFromPath: (path: string) => path },
    Tray: TrayDouble,
    nativeTheme: new NativeThemeDouble(),
    protocol: {
      registerSchemesAsPrivileged: (registered: CustomScheme[]) => {
        if (app.entryRan) throw new Error('Schemes are registered before the app is ready');
        schemes.push(...registered);
      },
      handle: (scheme: string, handler: Handler) => handlers.set(scheme, handler),
    },
    powerSaveBlocker: {
      start: (kind: string) => {
        const id = awake.size;
        awake.set(id, kind);
        return id;
      },
      stop: (id: number) => awake.delete(id),
    },
    screen: { getAllDisplays: () => screens.map((workArea) => ({ workArea })) },
    session: { defaultSession: session, fromPartition: () => ({}) },
    systemPreferences: { getColor: () => '#ffff00' },
    shell: {
      openExternal: async (url: string) => opened.push(url),
      openPath: async (path: string) => {
        opened.push(path);
        return '';
      },
    },
    dialog: {
      // Before the app is ready, Linux only gets a line on standard error.
      showErrorBox: (title: string, text: string) =>
        (app.isReady || process.platform !== 'linux') && errors.push(`${title}\n${text}`),
      showMessageBox: (...args: (MessageBoxOptions | WindowDoubleInstance)[]) => {
        dialogs.push(args.at(-1) as MessageBoxOptions);
        const [window] = args.length > 1 ? (args as WindowDoubleInstance[]) : [];
        // There it returns when it is answered: engine, terminals and pages wait as well.
        if (window === undefined && process.platform === 'darwin')
          heldUp.push(...dialogs.slice(-1));
        // Nobody sees it, and so nobody answers it.
        if (window !== undefined && (!window.shown || window.minimized))
          return new Promise<never>(() => {});
        return Promise.resolve({ response: answers.box });
      },
      showOpenDialog: async (_parent: WindowDoubleInstance, { defaultPath }: OpenDialogOptions) => {
        pickedNear.push(defaultPath);
        return answers.folder;
      },
    },
    // Not encryption: enough to see that the key does not lie there as it is. The name of the desktop is no help.
    safeStorage: {
      getSelectedStorageBackend: () => 'unknown',
      isAsyncEncryptionAvailable: async () => true,
      encryptStringAsync: async (text: string) =>
        Buffer.concat([
          Buffer.from(options.sealing === 'fixed password' ? 'v10' : 'v11'),
          Buffer.from(text).map((byte) => byte ^ 0x5a),
        ]),
      decryptStringAsync: async (sealed: Buffer) => ({
        result: Buffer.from(sealed.subarray(3).map((byte) => byte ^ 0x5a)).toString(),
        shouldReEncrypt: false,
      }),
    },
  };
  /**
   * Presses a key (`Control+J`) in a window of Windows or Linux: its page has it first, and the menu what the page leaves, in
   * items that take their keys from the system.
   */
  const press = async (window: WindowDoubleInstance, key: string) => {
    const { page } = window;
    if (page === null) throw new Error('No page');
    await page.evaluate(() => {
      const note = (event: KeyboardEvent) => {
        Reflect.set(globalThis, 'doubleLeft', !event.defaultPrevented);
      };
      globalThis.addEventListener('keydown', note);
    });
    await page.keyboard.press(key);
    if (!(await page.evaluate(() => Reflect.get(globalThis, 'doubleLeft')))) return;
    menu
      .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
      .find(
        ({ accelerator, registerAccelerator }) =>
          registerAccelerator !== false && accelerator?.replace('CmdOrCtrl', 'Control') === key,
      )
      ?.click?.({} as never, undefined, {} as never);
  };
  return {
    electron,
    press,
    app,
    schemes,
    handlers,
    permissions,
    dialogs,
    heldUp,
    errors,
    opened,
    downloads,
    copied,
    proxied,
    answers,
    pickedNear,
    notifications,
    windows: hooks.all,
    connectAs: ipc,
    menu: () => menu,
    /** Tells whether the app has started: whatever it has to tell the system is told by then. */
    started: () => app.listenerCount('activate') > 0,
    popups,
    popupPlaces,
    awake,
    trays,
    spelling,
  };
}

export type ElectronDouble = ReturnType<typeof createElectronDouble>;
