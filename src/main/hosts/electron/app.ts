import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { app, type BrowserWindow, dialog, Menu, nativeTheme, session, shell } from 'electron';
import { ok, type Result } from '../../../shared/result';
import type { ShellWatcher } from '../../../shared/window-ports';
import type { KeyStore } from '../../app/key-store';
import { savedPreferences } from '../../app/state-store';
import type { Workbench } from '../../app/workbench';
import type { Files, Locks } from '../../engine/ports';
import type { AppEnvironment } from '../common/app-environment';
import { NO_PLUGIN_FOLDERS, pluginFoldersIn } from '../common/desktop';
import { becomeInstance, instanceAddress, instanceLock } from '../common/instance';
import { openStaticFiles } from '../common/page-files';
import { changePath, launcherOf } from '../common/path-command';
import { watchAttention } from './attention';
import { saveDownloads } from './downloads';
import {
  asksForNothing,
  collectEarlyRequests,
  type EarlyRequests,
  followRequest,
} from './early-requests';
import { createFaultReports, type FaultReports, watchFaults } from './fault-reports';
import { type LaunchRequest, LINK_SCHEME, parseLaunch, wordsFor } from './launch-request';
import { startMenu } from './menu';
import { type NewWindowParts, newWindow } from './new-window';
import { guardSession, registerPageScheme, servePage } from './page-guard';
import { setSpelling } from './page-menu';
import { type Ask, createQuestions } from './questions';
import { guardQuit } from './quit';
import { restart } from './restart';
import { openSafeStores, type SafeStores } from './safe-key-store';
import { followState } from './system-ui';
import { createTitleBars } from './title-bar';
import { createTray } from './tray';
import { createUpdates, loadUpdater } from './updates';
import { openWindowPorts } from './window-ports';
import { openWindowStates } from './window-state';
import { createWindows, realFolder, type WindowParts, type Windows } from './windows';

/** The parts the Electron host gets from its entry. */
export interface ElectronParts {
  readonly environment: AppEnvironment;
  readonly files: Files;
  readonly locks: Locks;
  /** Takes long where start-up files do. `systemProxy` tells how the system would reach an address, in the words of a proxy script. */
  createWorkbench(
    stores: SafeStores,
    systemProxy: (url: string) => Promise<string>,
    shellWatcher: ShellWatcher,
  ): Promise<Workbench>;
}

/** Starts the app, or hands over to the one that is open and quits. */
export async function startElectron(parts: ElectronParts): Promise<void> {
  const { environment, files } = parts;
  // All up to the first await happens before Electron is ready, as these calls need.
  registerPageScheme();
  app.setName('Lathe');
  if (process.platform === 'win32') {
    // Windows shows notifications only for an app with the id that its shortcut has (`appId` of the package).
    app.setAppUserModelId('dev.lathe.app');
    // The name under which Electron registers what answers to clicks on them: without it another one at each start. The uninstaller knows it.
    app.setToastActivatorCLSID('{6F5B1B0E-4C0B-4E0D-9B7A-2D1E8C3A57F4}');
  }
  keepDataIn(environment.latheHome);
  const reports = createFaultReports(join(environment.latheHome, 'reports'), [
    `Lathe ${environment.version}, Electron ${process.versions['electron'] ?? ''}`,
    `${process.platform} ${process.arch} ${process.getSystemVersion?.() ?? ''}`,
  ]);
  const questions = createQuestions();
  const { ask } = questions;
  watchFaults(reports, ask);
  const words = ownWords(process.argv);
  const named = parseLaunch(words, process.cwd());
  if (!app.requestSingleInstanceLock({ words })) {
    if (pluginFoldersIn(environment.env).length > 0) process.stderr.write(`${NO_PLUGIN_FOLDERS}\n`);
    return app.quit();
  }
  const early = collectEarlyRequests();
  await app.whenReady();
  // macOS starts an app without words, and hands over what it is to open just before it is ready.
  const launch = (asksForNothing(named) && early.take()) || named;
  if (await isServedElsewhere(parts, early)) return app.exit(1);

  followLinks();
  guardSession(session.defaultSession);
  // Before Chromium fetches a dictionary that nobody asked for.
  setSpelling(session.defaultSession, false);
  servePage(await openStaticFiles(environment.layout.renderer));
  const skipShell = new AbortController();
  const ports = openWindowPorts(() => skipShell.abort());
  const first = await openFirstWindow(parts, launch);
  const { early: waiting } = first;
  waiting.once('closed', () => skipShell.abort());
  questions.putOn({ current: () => (waiting.isDestroyed() ? null : waiting), open: () => {} });
  const stores = await openSafeStores(files, environment.latheHome, process.platform);
  const { keyStore } = stores;
  const workbench = await parts.createWorkbench(
    stores,
    (url) => session.defaultSession.resolveProxy(url),
    {
      onAsking: (isAsking) => ports.wait(isAsking ? 'login-shell' : 'start'),
      skip: skipShell.signal,
    },
  );
  if (waiting.isDestroyed()) {
    // Closed while nothing was there yet: the app ends, and so does what has begun meanwhile.
    await workbench.close({ keepTerminals: true });
    return app.exit(0);
  }
  const loading = loadUpdater();
  let waits = () => false;
  const windows = makeWindows(parts, workbench, {
    ...{ keyStore, reports, ask, demo: launch.demo, updates: loading !== null, ...first },
    keepsLast: (window) => keepsLast(window, waits()),
  });
  saveDownloads(session.defaultSession, windows.tell);
  const updates = createUpdates({
    loading,
    shown: windows.shown,
    ask,
    running: () => workbench.running(),
    quit: () => app.quit(),
  });
  const keptForNextStart = guardQuit(workbench, windows.current, {
    ask,
    reopen: () => windows.open(),
    choose: () => windows.run('processes'),
    leave: windows.leave,
    install: updates.install,
    restart: (request) => restart(wordsFor(request, words), imageOf(environment)),
    stay: updates.stay,
  });
  const actions = {
    run: windows.run,
    newWindow: () => windows.open(),
    openFolder: (folder: string) => windows.open(folder),
    zoom: (zoom: number) => {
      workbench.setPreferences({ zoom }).catch(() => {});
    },
    showReports: () => {
      mkdirSync(reports.folder, { recursive: true, mode: 0o700 });
      shell.openPath(reports.folder).catch(() => {});
    },
    lookForUpdate: updates.available ? updates.look : null,
    installCommand: commandInstaller(environment, ask),
  };
  const system = {
    spelling: (wanted: boolean) => setSpelling(session.defaultSession, wanted),
    tray: createTray(environment.layout.resources, {
      show: windows.show,
      newWindow: actions.newWindow,
    }),
    updates: updates.follow,
    zoom: first.titleBars.zoom,
  };
  // The first window already has the theme that the user chose.
  waits = await followState(workbench, actions, system, new AbortController().signal);

  const follow = (request: LaunchRequest) => {
    if (!keptForNextStart(request)) followRequest(request, windows);
  };
  app.on('activate', () => {
    if (!keptForNextStart({ demo: false }) && windows.current() === null) windows.open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  if (!asksForNothing(launch) || windows.restore() === 0) follow(launch);
  early.hand(follow);
  questions.putOn({ current: windows.current, open: () => windows.open() });
  ports.serve(workbench, windows.routerOf);
}

/**
 * Opens the first window at once, in the theme and at the place that the user left. What it needs of the login shell and the
 * keychain may take a while. Closing it meanwhile ends the app.
 */
async function openFirstWindow({ environment, files }: ElectronParts, launch: LaunchRequest) {
  const { latheHome, layout } = environment;
  const { theme, zoom, desktop } = await savedPreferences(files, latheHome);
  nativeTheme.themeSource = theme;
  // Electron's own menu has items that are not ours; a menu bar has its height from the start.
  Menu.setApplicationMenu(Menu.buildFromTemplate(startMenu(process.platform)));
  const places = await openWindowStates(files, latheHome);
  const last = asksForNothing(launch) ? places.lastOpen[0] : undefined;
  const folder = launch.folder === undefined ? undefined : realFolder(launch.folder);
  const icon = join(layout.resources, 'icons', '256x256.png');
  const titleBars = createTitleBars(desktop?.systemTitleBar === true, zoom);
  const parts = { preload: layout.preload, icon, titleBars };
  return { ...parts, places, early: newWindow(last ?? places.of(folder), parts) };
}

/** Returns the AppImage that this runs from; null where it runs from none. */
const imageOf = ({ layout, env }: AppEnvironment): string | null =>
  process.platform === 'linux' ? launcherOf(layout.root, 'linux', env) : null;

/** Returns what puts `lathe` into `PATH` and tells how that went; null where a package or an installer has done so. */
function commandInstaller({ layout, env }: AppEnvironment, ask: Ask): (() => void) | null {
  const { platform } = process;
  const launcher = platform === 'win32' ? null : launcherOf(layout.root, platform, env);
  if (launcher === null) return null;
  const install = async () => {
    const done = await changePath('add', { platform, env, home: homedir(), launcher });
    await ask({
      type: done.ok ? 'info' : 'error',
      message: done.ok ? "The command 'lathe' is installed" : "The command 'lathe' is not there",
      detail: done.ok ? done.value : [done.error.message, done.error.fix].join('\n\n').trim(),
    });
  };
  return () => {
    install().catch(() => {});
  };
}

/**
 * Returns whether the last window stays open for now. Closing it quits, which asks by itself, but on macOS; there what was
 * asked in it would be denied without a word.
 */
function keepsLast(window: BrowserWindow, waits: boolean): boolean {
  if (process.platform !== 'darwin') {
    app.quit();
    return true;
  }
  if (!waits) return false;
  dialog
    .showMessageBox(window, {
      type: 'question',
      message: 'Close the window although a question waits for your answer?',
      detail: 'What Lathe asks for is denied then, because no window is left to answer it in.',
      buttons: ['Close and deny', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    })
    .then(({ response }) => {
      if (response === 0) window.destroy();
    })
    .catch(() => {});
  return true;
}

/**
 * Sets Electron's data folder inside the home. A second home is a second app, because the single-instance lock lives
 * there.
 */
function keepDataIn(latheHome: string): void {
  const folder = join(latheHome, 'electron');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  app.setPath('userData', folder);
}

/** Registers this app for links to Lathe; run from sources, the system must start Electron with the app's folder. */
function followLinks(): void {
  const [, folder] = process.argv;
  if (app.isPackaged || folder === undefined) app.setAsDefaultProtocolClient(LINK_SCHEME);
  else app.setAsDefaultProtocolClient(LINK_SCHEME, process.execPath, [resolve(folder)]);
}

/** Returns the user's words: without the program and, when run from sources, without the app's folder. */
const ownWords = (argv: readonly string[]): readonly string[] => argv.slice(app.isPackaged ? 1 : 2);

/** Makes this process the one instance of its home; when another host has it, tells the user and returns true. */
async function isServedElsewhere(
  { environment, locks }: ElectronParts,
  early: EarlyRequests,
): Promise<boolean> {
  const instance = await becomeInstance(
    instanceAddress(environment.latheHome, process.platform),
    { ask: 'url' },
    ({ folder }) => {
      early.add({ demo: false, ...(folder === undefined ? {} : { folder }) });
      return { host: 'electron', pid: process.pid };
    },
    instanceLock(locks, environment.latheHome),
  );
  if (instance.ok && !('other' in instance.value)) return false;
  const detail = instance.ok
    ? 'Another Lathe serves it to a browser. End that one first.'
    : instance.error.message;
  dialog.showErrorBox('Lathe cannot open this home', `${environment.latheHome}\n\n${detail}`);
  return true;
}

function makeWindows(
  { environment }: ElectronParts,
  workbench: Workbench,
  {
    keyStore,
    reports,
    ask,
    demo,
    updates,
    ...rest
  }: {
    readonly keyStore: KeyStore;
    readonly reports: FaultReports;
    readonly ask: Ask;
    readonly demo: boolean;
    readonly updates: boolean;
  } & Pick<WindowParts, 'keepsLast' | 'places' | 'early' | keyof NewWindowParts>,
): Windows {
  const windows: Windows = createWindows({
    workbench,
    ...rest,
    info: {
      version: environment.version,
      host: 'electron',
      platform: process.platform,
      home: homedir(),
      nativeFolderDialog: true,
      demoFirst: demo,
      keyStorage: keyStore.describe(),
      updates,
    },
    pickFolder,
    onFocus: () => calm(),
    onCrash: (details) => {
      reports.write('A page died', details);
    },
    onHopeless: (replace) => {
      askAboutHopeless(reports.folder, ask)
        .then((goesOn) => (goesOn ? replace() : app.quit()))
        .catch(() => {});
    },
  });
  const calm = watchAttention(
    workbench,
    windows,
    ({ sessionId, project }) => windows.show({ sessionId, project }),
    process.platform,
  );
  return windows;
}

/** Asks what to do about a page that died again and again, and returns whether a new window is wanted. */
async function askAboutHopeless(reports: string, ask: Ask): Promise<boolean> {
  const response = await ask({
    type: 'error',
    message: 'The window stopped working',
    detail: `Its page crashed several times. Your sessions and terminals go on. Reports lie in ${reports}; nothing was sent anywhere.`,
    buttons: ['Open a new window', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 0;
}

async function pickFolder(
  parent: BrowserWindow,
  beside: string | undefined,
): Promise<Result<string | null>> {
  const { canceled, filePaths } = await dialog.showOpenDialog(parent, {
    title: 'Open a folder',
    // Else Electron begins among the downloads, every time.
    defaultPath: beside === undefined ? homedir() : dirname(beside),
    properties: ['openDirectory', 'createDirectory'],
  });
  return ok(canceled ? null : (filePaths[0] ?? null));
}
