import type { ITheme } from '@xterm/xterm';
import { touch } from '../store/browser-storage';
import { createLiveTerminal, type LiveTerminal, type LiveTerminalDeps } from './live-terminal';
import { type TerminalLook, terminalLook } from './xterm';

/** Mirrored terminals kept at once; the least recently shown beyond this is dropped and replayed when shown again. */
export const LIVE_TERMINALS = 12;

/** The terminals this window mirrors. */
export interface TerminalPool {
  /** The mirror of a terminal; asking makes it the most recent. */
  get(terminalId: string): LiveTerminal;
  /** Lets go of the terminals that are not among these any more. */
  keepOnly(terminalIds: ReadonlySet<string>): void;
  /** Returns the lines below what is on screen of each terminal that is not at its bottom. */
  scrolledUp(): Readonly<Record<string, number>>;
  /** Returns the texts of those of these terminals that were seen. */
  lastSeen(terminalIds: ReadonlySet<string>): Readonly<Record<string, string>>;
  setTheme(theme: ITheme): void;
  setLook(look: TerminalLook): void;
}

/** Creates an empty pool. `theme` is called when a terminal is made. */
export function createTerminalPool(
  deps: Omit<LiveTerminalDeps, 'theme' | 'look' | 'scrolledUp' | 'lastSeen'> & {
    readonly theme: () => ITheme;
    /** Returns the lines below what was on screen of a terminal before a reload. */
    readonly scrolledUp: (terminalId: string) => number;
    /** Returns the text that was seen of a terminal before a reload, when its host was gone by then. */
    readonly lastSeen: (terminalId: string) => string | null;
  },
  create: typeof createLiveTerminal = createLiveTerminal,
): TerminalPool {
  const live = new Map<string, LiveTerminal>();
  let look = terminalLook({}, 1);
  let order: readonly string[] = [];
  const drop = (id: string) => {
    live.get(id)?.dispose();
    live.delete(id);
    order = order.filter((known) => known !== id);
  };
  return {
    get(terminalId) {
      const touched = touch(order, terminalId, LIVE_TERMINALS);
      order = touched.order;
      for (const id of touched.dropped) drop(id);
      const known = live.get(terminalId);
      if (known) return known;
      const before = {
        ...{ theme: deps.theme(), look, scrolledUp: deps.scrolledUp(terminalId) },
        lastSeen: deps.lastSeen(terminalId),
      };
      const made = create(terminalId, { ...deps, ...before });
      live.set(terminalId, made);
      return made;
    },
    keepOnly(terminalIds) {
      for (const id of [...live.keys()]) if (!terminalIds.has(id)) drop(id);
    },
    scrolledUp() {
      const places = [...live].map(([id, terminal]) => [id, terminal.scrolledUp()] as const);
      return Object.fromEntries(places.filter(([, lines]) => lines > 0));
    },
    lastSeen(terminalIds) {
      const wanted = [...live].filter(([id]) => terminalIds.has(id));
      const texts = wanted.map(([id, terminal]) => [id, terminal.lastSeen()] as const);
      return Object.fromEntries(texts.flatMap(([id, text]) => (text === null ? [] : [[id, text]])));
    },
    setTheme(theme) {
      for (const terminal of live.values()) terminal.setTheme(theme);
    },
    setLook(next) {
      look = next;
      for (const terminal of live.values()) terminal.setLook(look);
    },
  };
}
