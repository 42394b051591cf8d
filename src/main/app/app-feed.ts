import type { AppFeed, AppState } from '../../shared/contract';
import { createWaker } from '../../shared/waker';
import type { ShowTarget } from './workbench';

/** What all windows show outside any one session, and who watches it. */
export interface AppFeedHub {
  get(): AppState;
  /** Replaces the given slices; watchers get them once, however often they changed in between. */
  set(patch: Partial<AppState>): void;
  show(target: ShowTarget): void;
  watch(signal: AbortSignal): AsyncGenerator<AppFeed>;
}

/** Shows that no watcher took yet; older ones are of no use. */
const MAX_PENDING_SHOWS = 10;

interface Watcher {
  readonly changed: Set<keyof AppState>;
  shows: ShowTarget[];
  wake(): void;
}

/** Creates the hub. The first thing a watcher gets is the whole state. */
export function createAppFeed(initial: AppState): AppFeedHub {
  let state = initial;
  const watchers = new Set<Watcher>();
  /** Asked for while nobody watched (a cold start by a link): for the first window that comes. */
  let unseen: ShowTarget[] = [];

  async function* watch(signal: AbortSignal): AsyncGenerator<AppFeed> {
    const waker = createWaker(signal);
    const watcher: Watcher = { changed: new Set(), shows: [], wake: waker.wake };
    watchers.add(watcher);
    try {
      yield { type: 'state', state };
      watcher.shows = unseen;
      unseen = [];
      if (watcher.shows.length > 0) waker.wake();
      while (await waker.wait()) {
        if (watcher.changed.size > 0) {
          const keys = [...watcher.changed];
          watcher.changed.clear();
          yield { type: 'state', state: pick(state, keys) };
        }
        const shows = watcher.shows;
        watcher.shows = [];
        for (const target of shows) yield { type: 'show', ...target };
      }
    } finally {
      watchers.delete(watcher);
      waker.close();
    }
  }

  return {
    get: () => state,
    set: (patch) => {
      state = { ...state, ...patch };
      for (const watcher of watchers) {
        for (const key of keysOf(patch)) watcher.changed.add(key);
        watcher.wake();
      }
    },
    show: (target) => {
      if (watchers.size === 0) unseen = [...unseen, target].slice(-MAX_PENDING_SHOWS);
      for (const watcher of watchers) {
        watcher.shows = [...watcher.shows, target].slice(-MAX_PENDING_SHOWS);
        watcher.wake();
      }
    },
    watch,
  };
}

const keysOf = (patch: Partial<AppState>): (keyof AppState)[] =>
  Object.keys(patch).filter((key): key is keyof AppState => key in patch);

function pick(state: AppState, keys: readonly (keyof AppState)[]): Partial<AppState> {
  const entries = keys.map((key) => [key, state[key]] as const);
  return Object.fromEntries(entries);
}
