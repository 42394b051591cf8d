import type { AgentTranscript, Item } from './transcript';

/**
 * An agent's transcript that events are folded into. `t` is its own and changes in place; its rows are out of date: the
 * true ones stand beside it.
 */
export interface Draft<T extends AgentTranscript = AgentTranscript> {
  readonly t: T;
  readonly committed: Rows;
  readonly active: Rows;
}

/** The fields that an event changes besides rows. */
export type Change = Partial<Omit<AgentTranscript, 'committed' | 'active'>>;

export const NOTHING: Change = {};

/** Begins a draft. `indexed`: it is for many events. */
export const createDraft = <T extends AgentTranscript>(t: T, indexed: boolean): Draft<T> => ({
  t: { ...t },
  committed: createRows(t.committed, false),
  active: createRows(t.active, indexed),
});

/** Changes fields of a draft besides its rows. */
export const changeDraft = <T extends AgentTranscript>({ t }: Draft<T>, change: Partial<T>): T =>
  Object.assign(t, change);

/** Returns the transcript with the rows of the draft. Later changes do not touch it. */
export function settleDraft<T extends AgentTranscript>({ t, committed, active }: Draft<T>): T {
  return { ...t, committed: committed.list(), active: active.list() };
}

/**
 * The rows of a transcript while events are folded into it. They are copied at most once between two looks at them,
 * so that folding many events costs as much as there are events, not their square.
 */
export interface Rows {
  /** The rows as they are now. Later changes do not touch the list that was given out. */
  list(): readonly Item[];
  last(): Item | undefined;
  has(id: string): boolean;
  some(test: (item: Item) => boolean): boolean;
  findLast(test: (item: Item) => boolean): Item | undefined;
  add(item: Item): void;
  /** Replaces the newest row of this id by what `change` makes of it; false when there is none. */
  update(id: string, change: (item: Item) => Item): boolean;
  /** Replaces the last row. */
  replaceLast(item: Item): void;
  /** Removes the rows that `isGone` says yes to, among those after the last one that `isOlder` says yes to. */
  removeAfter(isOlder: (item: Item) => boolean, isGone: (item: Item) => boolean): void;
  /** Removes the newest row of this id and all after it; false when there is none. */
  removeFrom(id: string): boolean;
  /** Takes all rows out. */
  takeAll(): readonly Item[];
}

/** So many rows are looked through faster than their places are written down. */
const FEW = 32;

/**
 * Creates rows that begin with `start`. `indexed` remembers the place of every id: worth it for many events, dear for
 * a single one.
 */
function createRows(start: readonly Item[], indexed: boolean): Rows {
  let items = start as Item[];
  let owned = false;
  let places: Map<string, number> | null = null;

  const own = (): Item[] => {
    if (!owned) items = [...items];
    owned = true;
    return items;
  };
  const placeOf = (id: string): number => {
    const isShort = places === null && items.length <= FEW;
    if (!indexed || isShort) return items.findLastIndex((item) => item.id === id);
    places ??= new Map(items.map((item, at) => [item.id, at]));
    return places.get(id) ?? -1;
  };
  const add = (item: Item): void => {
    places?.set(item.id, items.length);
    own().push(item);
  };
  return {
    list: () => {
      owned = false;
      return items;
    },
    last: () => items.at(-1),
    has: (id) => placeOf(id) >= 0,
    some: (test) => items.some(test),
    findLast: (test) => items.findLast(test),
    add,
    update: (id, change) => {
      const at = placeOf(id);
      const item = items[at];
      if (item === undefined) return false;
      const changed = change(item);
      own()[at] = changed;
      if (changed.id !== id) {
        places?.delete(id);
        places?.set(changed.id, at);
      }
      return true;
    },
    replaceLast: (item) => {
      const last = items.at(-1);
      own()[items.length - 1] = item;
      if (last?.id !== item.id) {
        if (last) places?.delete(last.id);
        places?.set(item.id, items.length - 1);
      }
    },
    removeAfter: (isOlder, isGone) => {
      const from = items.findLastIndex(isOlder) + 1;
      const rest = items.slice(from);
      if (!rest.some(isGone)) return;
      own().length = from;
      for (const item of rest) {
        if (isGone(item)) places?.delete(item.id);
        else add(item);
      }
    },
    removeFrom: (id) => {
      const at = placeOf(id);
      if (at < 0) return false;
      own().length = at;
      places = null;
      return true;
    },
    takeAll: () => {
      const all = items;
      items = [];
      owned = true;
      places = null;
      return all;
    },
  };
}
