import type { AppFeed, AppState } from '../../shared/contract';
import { createKeymap, type Keymap, NO_BINDINGS } from '../../shared/keymap';
import type { SavedFile } from '../../shared/window-request';
import type { LatheBridge } from '../api/connect';
import { keepConnected, reconnectDelayMs } from '../api/keep-connected';
import type { Dial, Transport } from '../api/transport';
import { createFramesLink } from '../terminal/frames-link';
import { terminalTheme } from '../terminal/look';
import type { TerminalKey } from '../terminal/terminal-input';
import { createTerminalPool, type TerminalPool } from '../terminal/terminal-pool';
import { inTab, onApple } from '../ui/keys';
import { type Ask, type Connected, createAsk } from './ask';
import type { AttachmentStorage } from './attachment-storage';
import {
  createDrafts,
  createKeptForms,
  createLastShown,
  createLostScreens,
  createScrollPlaces,
  type Drafts,
  type KeptForms,
  keepTerminalsOnScreen,
  type LastShown,
  terminalsOnScreen,
} from './browser-storage';
import { type CurrentSession, createCurrentSession } from './current-session';
import { editFile } from './files';
import type { ScheduleFrame } from './frame-queue';
import { createReadingPlaces, type ReadingPlaces } from './reading-places';
import {
  createScreenStore,
  DOCK_TABS,
  type OpenDialog,
  type Screen,
  type ScreenStore,
  SETTINGS_PAGES,
} from './screen';
import { createSessionFeeds, type SessionFeeds } from './session-feeds';
import { copyText } from './toasts';

/** Everything one page is made of. Created once, handed down by context. */
export interface Lathe {
  readonly store: ScreenStore;
  readonly ask: Ask;
  readonly feeds: SessionFeeds;
  readonly terminals: TerminalPool;
  readonly drafts: Drafts;
  readonly lastShown: LastShown;
  readonly keptForms: KeptForms;
  readonly readingPlaces: ReadingPlaces;
  readonly current: CurrentSession;
  /** Present under Electron. */
  readonly bridge: LatheBridge | null;
  /** Calls back when the user chose a command in a menu of the system, by its id; gives a function that ends it. */
  onChosen(listener: (command: string) => void): () => void;
  /** Opens a web page outside. */
  openLink(target: string): void;
  /** Connects and stays connected until aborted. */
  start(on: HostEvents, signal: AbortSignal): Promise<void>;
}

/** The page's surroundings. */
interface LatheDeps {
  readonly dial: Dial;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly schedule: ScheduleFrame;
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly attachmentStorage: AttachmentStorage;
  /** Makes an id that no other page makes. */
  readonly newId: () => string;
  readonly bridge: LatheBridge | null;
  /** Says whom a key press in a focused terminal is for. */
  readonly terminalKey: (event: KeyboardEvent, keymap: Keymap) => TerminalKey;
  openLink(target: string): void;
  /** Calls back when the page is left or reloaded. */
  onLeave(listener: () => void): void;
}

const DOCK_KEY = 'lathe.dock';

/** Takes up the page of the dock that this window had, and remembers it from now on. */
function keepDockTab(store: ScreenStore, storage: LatheDeps['sessionStorage']): void {
  const left = storage.getItem(DOCK_KEY);
  const dockTab = DOCK_TABS.find((tab) => tab === left);
  if (dockTab !== undefined) store.setState({ dockTab });
  store.subscribe((now, before) => {
    if (now.dockTab === before.dockTab) return;
    try {
      storage.setItem(DOCK_KEY, now.dockTab);
    } catch {
      // Only convenience is lost.
    }
  });
}

const WHEELS_KEY = 'lathe.wheels';

/** Remembers, also when the page is reloaded, which wheels were taken in this window, until somebody hands them back. */
function keepWheels(store: ScreenStore, storage: LatheDeps['sessionStorage']): void {
  const left = storage.getItem(WHEELS_KEY) ?? '';
  store.setState({ wheels: left.split(' ').filter((id) => id !== '') });
  const taken = ({ app }: ReturnType<ScreenStore['getState']>) =>
    new Set(app?.terminals.filter(({ wheel }) => wheel === true).map(({ id }) => id));
  store.subscribe((now, before) => {
    if (now.app?.terminals !== before.app?.terminals) {
      const [still, was] = [taken(now), taken(before)];
      const isOver = (id: string) => !still.has(id) && (before.app === null || was.has(id));
      if (now.wheels.some(isOver))
        store.setState({ wheels: now.wheels.filter((id) => !isOver(id)) });
    }
    if (now.wheels === before.wheels) return;
    try {
      storage.setItem(WHEELS_KEY, now.wheels.join(' '));
    } catch {
      // Only convenience is lost.
    }
  });
}

const DIALOG_KEY = 'lathe.dialog';

/** Opens the page of settings or figures again that stood in this window, and remembers it from now on. */
function keepDialog(store: ScreenStore, storage: LatheDeps['sessionStorage']): void {
  const left = storage.getItem(DIALOG_KEY);
  const page = SETTINGS_PAGES.find((one) => left === `settings ${one}`);
  if (page !== undefined) store.setState({ dialog: { kind: 'settings', page } });
  else if (left === 'costs' || left === 'health') store.setState({ dialog: { kind: left } });
  store.subscribe(({ dialog }, before) => {
    if (dialog === before.dialog) return;
    try {
      storage.setItem(DIALOG_KEY, nameOf(dialog));
    } catch {
      // Only convenience is lost.
    }
  });
}

const nameOf = (dialog: OpenDialog | null): string =>
  dialog?.kind === 'settings' ? `settings ${dialog.page}` : (dialog?.kind ?? '');

/** Puts the page together; nothing is sent before `start`. */
export function createLathe(deps: LatheDeps): Lathe {
  const store = createScreenStore();
  const { wait, schedule, newId, sessionStorage: storage } = deps;
  const feeds = createSessionFeeds({ store, schedule, wait });
  const link = createFramesLink(wait);
  let connected: Connected | null = null;
  const listeners = new Set<(command: string) => void>();
  const chosen = (command: string) => {
    for (const listener of listeners) listener(command);
  };
  const ask = createAsk(() => (store.getState().link.kind === 'connected' ? connected : null));
  const drafts = createDrafts(deps.localStorage, deps.attachmentStorage, storage);
  const lastShown = createLastShown(deps.sessionStorage);
  keepDockTab(store, deps.sessionStorage);
  keepDialog(store, deps.sessionStorage);
  keepWheels(store, deps.sessionStorage);
  const readingPlaces = createReadingPlaces(deps.sessionStorage);
  const scrollPlaces = createScrollPlaces(deps.sessionStorage);
  const lostScreens = createLostScreens(deps.sessionStorage);
  const terminalOf = (terminalId: string) =>
    store.getState().app?.terminals.find(({ id }) => id === terminalId);
  const terminals = createTerminalPool({
    link,
    load: async () => (await import('../terminal/live-terminal')).createLiveTerminal,
    theme: terminalTheme,
    scrolledUp: scrollPlaces.get,
    lastSeen: lostScreens.get,
    isCommand: (id) => terminalOf(id)?.kind === 'command',
    keyMeaning: (event) => deps.terminalKey(event, store.getState().keymap),
    copy: (text) => void copyText(store, text),
    openLink: deps.openLink,
    openFile: (terminalId, file) => {
      void editFile({ ask, store }, { ...file, folder: terminalOf(terminalId)?.cwd });
    },
  });
  const shownBefore = [...terminalsOnScreen(deps.sessionStorage)];
  deps.onLeave(() => {
    // Without an emulator nothing has moved since the last time.
    if (terminals.emulator.get().phase === 'ready') {
      scrollPlaces.save(terminals.scrolledUp());
      keepTerminalsOnScreen(deps.sessionStorage, terminals.shown());
    }
    const lost = store.getState().app?.terminals.filter((one) => one.lost === true) ?? [];
    const ids = new Set(lost.map(({ id }) => id));
    lostScreens.save(terminals.lastSeen(ids), ids);
  });
  return {
    store,
    feeds,
    ask,
    drafts,
    lastShown,
    keptForms: createKeptForms(deps.sessionStorage),
    readingPlaces,
    current: createCurrentSession({
      ...{ store, ask, feeds, drafts, lastShown },
      ...{ storage, newId, wait },
    }),
    bridge: deps.bridge,
    onChosen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    openLink: deps.openLink,
    terminals,
    start: (on, signal) => {
      // Their panes come late in a reload; by then the screens have come.
      const again = shownBefore.length > 0 ? terminals.load() : null;
      if (again !== null) link.expectViewer();
      const attachAgain = async () => {
        await again;
        for (const id of shownBefore.splice(0)) if (terminalOf(id)) terminals.get(id);
      };
      const onConnected = () => {
        void attachAgain();
        on.onConnected();
      };
      return keepConnected(
        {
          dial: deps.dial,
          wait,
          onStatus: (status) => store.setState({ link: status }),
          onTransport(transport) {
            const gone = new AbortController();
            connected = { client: transport.client, lost: gone.signal };
            transport.onClosed(() => {
              gone.abort();
              if (connected?.client === transport.client) connected = null;
            });
            void followApp({ store, wait, on: { ...on, onConnected }, chosen }, transport);
            feeds.useTransport(transport);
            link.useTransport(transport);
          },
          onBack: () => on.onConnected(),
        },
        signal,
      );
    },
  };
}

/** A request from outside the window to show a project or session. */
export type ShowRequest = Extract<AppFeed, { type: 'show' }>;

/** A signal that a hook of a session gives the user. */
export type SignalRequest = Extract<AppFeed, { type: 'signal' }>;

/** The news from the host that change more than what is shown. */
interface HostEvents {
  onShow(request: ShowRequest): void;
  onSignal(request: SignalRequest): void;
  onSaved(file: SavedFile): void;
  /** The connection came or came back, and the app's state is that of the host. */
  onConnected(): void;
}

/** The dependencies of {@link followApp}. */
interface AppFeedDeps {
  readonly store: ScreenStore;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly on: HostEvents;
  chosen(command: string): void;
}

/** Keeps the app's state equal to the engine's for as long as the connection lives. Never rejects. */
async function followApp(deps: AppFeedDeps, transport: Transport): Promise<void> {
  const control = new AbortController();
  const { signal } = control;
  transport.onClosed(() => control.abort());
  let first = true;
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const { app } = transport.client;
      const asked = [app.info(undefined, { signal }), app.watch(undefined, { signal })] as const;
      const [info, news] = await Promise.all(asked);
      deps.store.setState({ info });
      for await (const item of news) {
        attempt = 1;
        if (item.type === 'show') deps.on.onShow(item);
        else if (item.type === 'signal') deps.on.onSignal(item);
        else if (item.type === 'command') deps.chosen(item.id);
        else if (item.type === 'saved') deps.on.onSaved(item);
        else deps.store.setState((s) => withState(s, item.state));
        if (first) deps.on.onConnected();
        first = false;
      }
    } catch {
      // A lost connection ends the loop through the signal; anything else is tried again.
    }
    await deps.wait(reconnectDelayMs(attempt), signal);
  }
}

const lists = (app: Partial<AppState> | null, terminalId: string | null): boolean =>
  app?.terminals?.some(({ id }) => id === terminalId) === true;

/** Returns what changes on screen with news of the app. A chosen terminal that is listed no longer is gone. */
const withState = (
  { app: known, terminalId }: Pick<Screen, 'app' | 'terminalId'>,
  news: Partial<AppState>,
): Partial<Screen> => ({
  app: mergeState(known, news),
  ...(lists(known, terminalId) && news.terminals !== undefined && !lists(news, terminalId)
    ? { terminalId: null }
    : {}),
  ...(news.keys === undefined ? {} : { keymap: createKeymap(news.keys, onApple(), inTab()) }),
});

/** Replaces the slices named. Before the first full state, missing slices are empty. */
export const mergeState = (known: AppState | null, news: Partial<AppState>): AppState => ({
  ...(known ?? NOTHING),
  ...news,
});

const NOTHING: AppState = {
  connection: { kind: 'none' },
  preferences: { theme: 'system', zoom: 1, layout: {} },
  recents: [],
  projects: [],
  sessions: [],
  terminals: [],
  leftovers: [],
  terminalHost: 'idle',
  keys: NO_BINDINGS,
};
