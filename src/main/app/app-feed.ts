import type { AppFeed, AppState } from '../../shared/contract';
import { createWaker } from '../../shared/waker';
import type { WindowRequest } from '../../shared/window-request';

/** A place in the app that the user asked to be taken to. */
export interface ShowTarget {
  readonly project?: string;
  readonly sessionId?: string;
  /** Text to prefill; never sent by itself. */
  readonly draft?: string;
}

/** One window, as the app behind it knows it. */
export interface WindowEntry {
  /** It shows this session. */
  saw(sessionId: string): void;
  /** It has this project open. */
  opened(project: string): void;
  /** The project and the session that it shows; null before there is one. */
  shown(): { readonly project: string | null; readonly sessionId: string | null };
  /** Asks for something. A page that is not there yet, or reloads, hears of it when it comes. */
  ask(request: WindowRequest): void;
  /** Gives its page the state of the app, and then each change and each request. */
  watch(signal: AbortSignal): AsyncGenerator<AppFeed>;
  /** It is closed. What was asked in sessions that no other window shows is denied (docs/spec.md E4). */
  close(): void;
}

/** State that all windows show outside any one session, with its watchers, and the windows. */
export interface AppFeedHub {
  get(): AppState;
  /** Replaces the given slices; watchers get them once, however often they changed in between. */
  set(patch: Partial<AppState>): void;
  /** Gives the state and its changes. */
  watch(signal: AbortSignal): AsyncGenerator<AppFeed>;
  /** Tells all windows something. */
  tell(request: WindowRequest): void;
  openWindow(): WindowEntry;
  /** Returns the window that shows a place: its session, else its project; else one that has shown the session; null when none has. */
  windowFor(target: ShowTarget): WindowEntry | null;
  /** Takes the window that shows a place there, or else the next one that opens. */
  show(target: ShowTarget): void;
}

/** Requests that no page took yet; older ones are of no use. */
const MAX_PENDING_REQUESTS = 10;

interface Watcher {
  readonly changed: Set<keyof AppState>;
  wake(): void;
}

/** The requests that wait for a window's page. */
interface Inbox {
  waiting: readonly WindowRequest[];
  /** The page that is there: after a reload the newest one. */
  reader: Watcher | null;
}

/** Creates the hub. `deny` is called for a session whose last window was closed. */
export function createAppFeed(initial: AppState, deny: (sessionId: string) => void): AppFeedHub {
  let state = initial;
  const watchers = new Set<Watcher>();
  const windows = new Map<WindowEntry, ReadonlySet<string>>();
  /** Places that no window showed, for the next one. */
  let unclaimed: readonly WindowRequest[] = [];

  async function* watch(signal: AbortSignal, inbox?: Inbox): AsyncGenerator<AppFeed> {
    const waker = createWaker(signal);
    const watcher: Watcher = { changed: new Set(), wake: waker.wake };
    watchers.add(watcher);
    if (inbox) inbox.reader = watcher;
    try {
      yield { type: 'state', state };
      if (inbox) waker.wake();
      while (await waker.wait()) {
        if (watcher.changed.size > 0) {
          const keys = [...watcher.changed];
          watcher.changed.clear();
          yield { type: 'state', state: pick(state, keys) };
        }
        if (inbox?.reader !== watcher) continue;
        const requests = inbox.waiting;
        inbox.waiting = [];
        yield* requests;
      }
    } finally {
      watchers.delete(watcher);
      if (inbox?.reader === watcher) inbox.reader = null;
      waker.close();
    }
  }

  const windowFor = ({ sessionId, project }: ShowTarget): WindowEntry | null => {
    const open = [...windows.keys()].reverse();
    return (
      open.find((one) => sessionId !== undefined && one.shown().sessionId === sessionId) ??
      open.find((one) => project !== undefined && one.shown().project === project) ??
      open.find((one) => sessionId !== undefined && windows.get(one)?.has(sessionId)) ??
      null
    );
  };

  return {
    get: () => state,
    set: (patch) => {
      state = { ...state, ...patch };
      for (const watcher of watchers) {
        for (const key of keysOf(patch)) watcher.changed.add(key);
        watcher.wake();
      }
    },
    watch: (signal) => watch(signal),
    tell: (request) => {
      for (const window of windows.keys()) window.ask(request);
    },
    windowFor,
    show: (target) => {
      const request = { type: 'show', ...target } as const;
      const window = windowFor(target);
      if (window === null) unclaimed = [...unclaimed, request].slice(-MAX_PENDING_REQUESTS);
      else window.ask(request);
    },
    openWindow: () => {
      const seen = new Set<string>();
      const inbox: Inbox = { waiting: unclaimed, reader: null };
      unclaimed = [];
      let project: string | null = null;
      let sessionId: string | null = null;
      const entry: WindowEntry = {
        saw: (session) => {
          seen.add(session);
          sessionId = session;
        },
        opened: (folder) => {
          if (folder !== project) sessionId = null;
          project = folder;
        },
        shown: () => ({ project, sessionId }),
        ask: (request) => {
          inbox.waiting = [...inbox.waiting, request].slice(-MAX_PENDING_REQUESTS);
          inbox.reader?.wake();
        },
        watch: (signal) => watch(signal, inbox),
        close: () => {
          if (!windows.delete(entry)) return;
          for (const session of seen) {
            if (![...windows.values()].some((other) => other.has(session))) deny(session);
          }
        },
      };
      windows.set(entry, seen);
      return entry;
    },
  };
}

const keysOf = (patch: Partial<AppState>): (keyof AppState)[] =>
  Object.keys(patch).filter((key): key is keyof AppState => key in patch);

function pick(state: AppState, keys: readonly (keyof AppState)[]): Partial<AppState> {
  const entries = keys.map((key) => [key, state[key]] as const);
  return Object.fromEntries(entries);
}
