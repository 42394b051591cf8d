import type { ITheme } from '@xterm/xterm';
import { touch } from '../store/browser-storage';
import { createCell, type Observable } from './cell';
import type { createLiveTerminal, LiveTerminal, LiveTerminalDeps } from './live-terminal';
import { type TerminalLook, terminalLook } from './look';

/** Live terminals kept at once; the least recently shown beyond this is dropped and replayed when shown again. */
export const LIVE_TERMINALS = 12;

/** The code that draws terminals, a third of the page's. Until it is there nothing attaches, so no output is missed. */
interface Emulator {
  readonly phase: 'absent' | 'ready' | 'failed';
}

/** The live terminals of this window. */
export interface TerminalPool {
  readonly emulator: Observable<Emulator>;
  /** Loads the emulator, once; tries again after a failure. Never rejects. */
  load(): Promise<void>;
  /** Returns the live terminal of an id, which becomes the most recent; null until the emulator is ready. */
  get(terminalId: string): LiveTerminal | null;
  /** Goes to a terminal as soon as it is on screen. */
  focus(terminalId: string): void;
  /** Returns the ids of the terminals that are on screen. */
  shown(): readonly string[];
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
    /** Loads what makes a live terminal. */
    readonly load: () => Promise<typeof createLiveTerminal>;
    readonly theme: () => ITheme;
    /** Returns the lines below what was on screen of a terminal before a reload. */
    readonly scrolledUp: (terminalId: string) => number;
    /** Returns the text that was seen of a terminal before a reload, when its host was gone by then. */
    readonly lastSeen: (terminalId: string) => string | null;
  },
): TerminalPool {
  const live = new Map<string, LiveTerminal>();
  const emulator = createCell<Emulator>({ phase: 'absent' });
  let create: typeof createLiveTerminal | null = null;
  let loading: Promise<void> | null = null;
  /** The terminal to go to once there is an emulator. */
  let wanted: string | null = null;
  let look = terminalLook({}, 1);
  let order: readonly string[] = [];
  const drop = (id: string) => {
    live.get(id)?.dispose();
    live.delete(id);
    order = order.filter((known) => known !== id);
  };
  const loadOnce = async () => {
    try {
      create = await deps.load();
    } catch {
      // A host that was replaced by another version has other files, and one that is away has none.
      loading = null;
      return emulator.change({ phase: 'failed' });
    }
    emulator.change({ phase: 'ready' });
    if (wanted !== null) get(wanted)?.focus();
    wanted = null;
  };
  const load = () => {
    loading ??= loadOnce();
    return loading;
  };
  const get = (terminalId: string): LiveTerminal | null => {
    if (create === null) return null;
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
  };
  return {
    emulator,
    load,
    get,
    focus(terminalId) {
      const terminal = get(terminalId);
      wanted = terminal === null ? terminalId : null;
      terminal?.focus();
    },
    shown: () => [...live].filter(([, terminal]) => terminal.isShown).map(([id]) => id),
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
