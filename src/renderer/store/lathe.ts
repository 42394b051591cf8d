import type { LatheBridge } from '../api/connect';
import { keepConnected } from '../api/keep-connected';
import type { Client, Dial } from '../api/transport';
import { createFramesLink } from '../terminal/frames-link';
import { createTerminalPool, type TerminalPool } from '../terminal/terminal-pool';
import { terminalTheme } from '../terminal/terminal-theme';
import { followApp, type ShowRequest } from './app-feed';
import { type Ask, createAsk } from './ask';
import { createDrafts, type Drafts } from './drafts';
import type { ScheduleFrame } from './frame-queue';
import { createPlaceMemory, type PlaceMemory } from './place';
import { createScreenStore, type ScreenStore } from './screen';
import { createSessionFeeds, type SessionFeeds } from './session-feeds';

/** Everything one page is made of. Created once, handed down by context. */
export interface Lathe {
  readonly store: ScreenStore;
  readonly ask: Ask;
  readonly feeds: SessionFeeds;
  readonly terminals: TerminalPool;
  readonly drafts: Drafts;
  readonly place: PlaceMemory;
  /** Present under Electron. */
  readonly bridge: LatheBridge | null;
  /** Connects and stays connected until aborted. */
  start(onShow: (request: ShowRequest) => void, signal: AbortSignal): Promise<void>;
}

/** The page's surroundings. */
export interface LatheDeps {
  readonly dial: Dial;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly schedule: ScheduleFrame;
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly bridge: LatheBridge | null;
  /** False for a key that the app wants although a terminal has the focus. */
  readonly terminalTakesKey: (event: KeyboardEvent) => boolean;
  openLink(target: string): void;
}

/** Puts the page together; nothing is sent before `start`. */
export function createLathe(deps: LatheDeps): Lathe {
  const store = createScreenStore();
  const { wait, schedule } = deps;
  const feeds = createSessionFeeds({ store, schedule, wait });
  const link = createFramesLink(wait);
  let client: Client | null = null;
  return {
    store,
    feeds,
    ask: createAsk(() => client),
    drafts: createDrafts(deps.localStorage),
    place: createPlaceMemory(deps.sessionStorage),
    bridge: deps.bridge,
    terminals: createTerminalPool({
      link,
      theme: terminalTheme,
      takesKey: deps.terminalTakesKey,
      openLink: deps.openLink,
    }),
    start: (onShow, signal) =>
      keepConnected(
        {
          dial: deps.dial,
          wait,
          onStatus: (status) => store.setState({ link: status }),
          onTransport(transport) {
            client = transport.client;
            transport.onClosed(() => {
              if (client === transport.client) client = null;
            });
            void followApp({ store, wait, onShow }, transport);
            feeds.useTransport(transport);
            link.useTransport(transport);
          },
        },
        signal,
      ),
  };
}
