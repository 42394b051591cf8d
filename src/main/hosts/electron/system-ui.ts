import { win32 } from 'node:path';
import {
  app,
  type JumpListCategory,
  type JumpListItem,
  Menu,
  nativeTheme,
  powerSaveBlocker,
} from 'electron';
import type { AppState, SessionSummary } from '../../../shared/contract';
import { createKeymap, NO_BINDINGS } from '../../../shared/keymap';
import type { Preferences } from '../../../shared/settings';
import type { Workbench } from '../../app/workbench';
import { NEW_WINDOW } from './launch-request';
import { type MenuActions, menuTemplate, recentItems } from './menu';

/** The parts of the system that the state of the app shows in besides the menu. */
export interface SystemParts {
  /** Sets whether prompts are checked for spelling. */
  readonly spelling: (wanted: boolean) => void;
  /** Shows the sessions that work in the tray, or takes its icon away. */
  readonly tray: (wanted: boolean, sessions: readonly SessionSummary[]) => void;
  /** Looks for new versions, or no more. */
  readonly updates: (wanted: boolean) => void;
  /** Fits the title bars to the zoom of the pages. */
  readonly zoom: (factor: number) => void;
}

/**
 * Keeps what the system shows and does in step with the app: theme, recent folders, the menu with its keys, the tray, and
 * no sleep while Lathe works. Resolves when the first state is shown, and goes on until the signal aborts. Returns whether a
 * session waits for an answer.
 */
export async function followState(
  workbench: Pick<Workbench, 'watchApp'>,
  actions: MenuActions,
  { spelling, tray, updates, zoom: fitTitleBars }: SystemParts,
  signal: AbortSignal,
): Promise<() => boolean> {
  let busy: readonly SessionSummary[] = [];
  let desktop: Preferences['desktop'];
  let recents: readonly string[] = [];
  let zoom = 1;
  let waiting = false;
  const apple = process.platform === 'darwin';
  let keymap = createKeymap(NO_BINDINGS, apple);
  const stayAwake = createWakefulness();
  const showMenu = () =>
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate(process.platform, { recents, zoom, keymap }, actions)),
    );
  const show = ({ preferences, recents: changed, sessions, keys }: Partial<AppState>) => {
    if (sessions !== undefined) {
      stayAwake(sessions.some(({ running }) => running));
      waiting = sessions.some(({ needsAnswer }) => needsAnswer);
      busy = sessions;
    }
    if (preferences !== undefined) {
      desktop = preferences.desktop;
      spelling(desktop?.spelling ?? apple);
      updates(desktop?.updates ?? true);
      nativeTheme.themeSource = preferences.theme;
      fitTitleBars(preferences.zoom);
      if (preferences.zoom !== zoom) {
        zoom = preferences.zoom;
        showMenu();
      }
    }
    tray(desktop?.tray === true, busy);
    if (keys !== undefined) {
      keymap = createKeymap(keys, apple);
      showMenu();
    }
    if (changed === undefined || sameOrder(changed, recents)) return;
    recents = changed;
    showMenu();
    app.clearRecentDocuments();
    for (const folder of [...recents].reverse()) app.addRecentDocument(folder);
    showShortcuts(recents, actions);
  };
  showMenu();
  showShortcuts(recents, actions);
  const begun = Promise.withResolvers<void>();
  const follow = async () => {
    for await (const feed of workbench.watchApp(signal)) {
      if (feed.type === 'state') show(feed.state);
      begun.resolve();
    }
  };
  follow()
    .catch(() => {})
    .finally(begun.resolve);
  await begun.promise;
  return () => waiting;
}

/** Folders among the system's shortcuts. */
const MAX_SHORTCUTS = 8;

/** Puts the recent folders and a new window on the icon: the menu of macOS's dock, the jump list of Windows. */
function showShortcuts(recents: readonly string[], actions: MenuActions): void {
  const folders = recents.slice(0, MAX_SHORTCUTS);
  app.dock?.setMenu(
    Menu.buildFromTemplate([
      ...recentItems(folders, actions),
      { type: 'separator' },
      { label: 'New Window', click: () => actions.newWindow() },
    ]),
  );
  if (process.platform !== 'win32') return;
  // Windows refuses the whole list when it holds what the user took out of it.
  const removed = new Set(app.getJumpListSettings().removedItems.map(({ args }) => args));
  const own = app.isPackaged ? [] : process.argv.slice(1, 2);
  app.setJumpList(jumpList(folders, own, removed));
}

/** Returns the jump list. `own` are the words before ours when Electron runs the sources. */
export function jumpList(
  folders: readonly string[],
  own: readonly string[],
  removed: ReadonlySet<string | undefined>,
): JumpListCategory[] {
  const task = (title: string, description: string, word: string): JumpListItem => ({
    type: 'task',
    title: title.slice(0, MAX_SHORTCUT_CHARS),
    description: description.slice(0, MAX_SHORTCUT_CHARS),
    program: process.execPath,
    args: [...own, word].map(quoted).join(' '),
    iconPath: process.execPath,
    iconIndex: 0,
  });
  const items = folders
    .map((folder) => task(win32.basename(folder) || folder, folder, folder))
    .filter(({ args }) => !removed.has(args));
  return [
    ...(items.length === 0 ? [] : [{ type: 'custom' as const, name: 'Recent Folders', items }]),
    { type: 'tasks', items: [task('New Window', 'Opens a window of its own', NEW_WINDOW)] },
  ];
}

/** The longest text Windows shows for an item. Characters. */
const MAX_SHORTCUT_CHARS = 260;

/** Returns a word as a command line of Windows writes it: a backslash before the closing quote would escape it. */
const quoted = (word: string): string => `"${word.replace(/\\+$/, '$&$&')}"`;

/** Returns a function that says whether the system must not go to sleep by itself; the screen may. */
function createWakefulness(): (wanted: boolean) => void {
  let blocker: number | null = null;
  return (wanted) => {
    if (wanted === (blocker !== null)) return;
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = wanted ? powerSaveBlocker.start('prevent-app-suspension') : null;
  };
}

const sameOrder = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((folder, at) => folder === b[at]);
