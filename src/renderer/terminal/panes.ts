import type { PaneNode, PaneSplit, PaneTabs } from '../../shared/terminal-panes';

/** The place in a pane where a tab is dropped: the middle joins its tabs, a side makes a pane there. */
export type PaneSide = 'middle' | 'left' | 'right' | 'top' | 'bottom';

/** Panes of a project that has not been arranged. */
export const ONE_PANE: PaneNode = {
  ...{ kind: 'tabs', id: 'p1', size: 1 },
  ...{ terminals: [], shown: null },
};

/** Places in all; more would be too small to read. */
export const MAX_PANES = 12;
/** Terminals whose place is remembered; the ones first placed are forgotten first. */
const MAX_PLACES = 400;

/** Returns all places with tabs, in reading order. */
export const tabsOf = (node: PaneNode): readonly PaneTabs[] =>
  node.kind === 'tabs' ? [node] : node.children.flatMap(tabsOf);

/** Returns the place of a terminal; null when it has none. */
export const placeOf = (panes: PaneNode, terminalId: string | null): PaneTabs | null =>
  tabsOf(panes).find(({ terminals }) => terminals.some((id) => id === terminalId)) ?? null;

/** Gives terminals without a place one in `pane`, or in the first. */
export function withPlaces(
  panes: PaneNode,
  terminals: readonly string[],
  pane: string | null,
): PaneNode {
  const places = tabsOf(panes);
  const placed = new Set(places.flatMap((tabs) => tabs.terminals));
  const missing = terminals.filter((id) => !placed.has(id));
  const target = places.find(({ id }) => id === pane) ?? places[0];
  if (missing.length === 0 || target === undefined) return panes;
  const added = { ...target, terminals: [...target.terminals, ...missing] };
  return bounded(replace(panes, target.id, added), new Set(terminals));
}

/** Returns the panes with only these terminals and without empty places; null when nothing is left. */
export function onlyWith(panes: PaneNode, visible: ReadonlySet<string>): PaneNode | null {
  if (panes.kind === 'tabs') {
    const terminals = panes.terminals.filter((id) => visible.has(id));
    return terminals.length === 0 ? null : { ...panes, terminals };
  }
  const children = panes.children
    .map((child) => onlyWith(child, visible))
    .filter((child) => child !== null);
  return joined({ ...panes, children });
}

/** Brings a terminal to the front of its place. */
export function shown(panes: PaneNode, terminalId: string): PaneNode {
  const place = placeOf(panes, terminalId);
  return place === null || place.shown === terminalId
    ? panes
    : replace(panes, place.id, { ...place, shown: terminalId });
}

/** Takes a terminal out. */
export function without(panes: PaneNode, terminalId: string): PaneNode {
  const place = placeOf(panes, terminalId);
  if (place === null) return panes;
  const at = place.terminals.indexOf(terminalId);
  const terminals = place.terminals.filter((id) => id !== terminalId);
  const neighbour = terminals[at] ?? terminals[at - 1] ?? null;
  const left = { ...place, terminals, shown: place.shown === terminalId ? neighbour : place.shown };
  return terminals.length > 0 ? replace(panes, place.id, left) : cleared(panes, place.id);
}

/** Gives the place of a terminal to another one. */
export function exchanged(panes: PaneNode, before: string, after: string): PaneNode {
  const place = placeOf(panes, before);
  if (place === null) return panes;
  const rest = without(panes, after);
  const kept = placeOf(rest, before) ?? place;
  return replace(rest, kept.id, {
    ...kept,
    terminals: kept.terminals.map((id) => (id === before ? after : id)),
    shown: kept.shown === before ? after : kept.shown,
  });
}

/** Moves a terminal, which may have had no place, into a pane or to a side of it. */
export function moved(
  panes: PaneNode,
  terminalId: string,
  target: { readonly pane: string; readonly side: PaneSide },
): PaneNode {
  const place = tabsOf(panes).find(({ id }) => id === target.pane);
  if (place === undefined) return panes;
  const isAlone = place.terminals.length === 1 && place.terminals[0] === terminalId;
  if (isAlone) return panes;
  if (target.side === 'middle' || tabsOf(panes).length >= MAX_PANES) {
    if (place.terminals.includes(terminalId)) return shown(panes, terminalId);
    const rest = without(panes, terminalId);
    const into = tabsOf(rest).find(({ id }) => id === place.id) ?? place;
    const terminals = [...into.terminals, terminalId];
    return replace(rest, into.id, { ...into, terminals, shown: terminalId });
  }
  const rest = without(panes, terminalId);
  const beside = tabsOf(rest).find(({ id }) => id === place.id) ?? place;
  const made: PaneTabs = {
    ...{ kind: 'tabs', id: freeId(panes), size: beside.size },
    ...{ terminals: [terminalId], shown: terminalId },
  };
  return insert(rest, beside, made, target.side);
}

/** Sets the shares of the children of a split, by their ids. */
export function resized(
  panes: PaneNode,
  splitId: string,
  sizes: Readonly<Record<string, number>>,
): PaneNode {
  if (panes.kind === 'tabs') return panes;
  const children = panes.children.map((child) => {
    const size = panes.id === splitId ? sizes[child.id] : undefined;
    return resized(size === undefined || size <= 0 ? child : { ...child, size }, splitId, sizes);
  });
  return { ...panes, children };
}

/** Returns the place that comes `step` after a pane in reading order, round and round; null without another one. */
export function neighbourOf(panes: PaneNode, pane: string | null, step: number): PaneTabs | null {
  const places = tabsOf(panes);
  const at = places.findIndex(({ id }) => id === pane);
  if (places.length < 2) return null;
  return places[(Math.max(at, 0) + step + places.length) % places.length] ?? null;
}

function replace(node: PaneNode, id: string, by: PaneNode): PaneNode {
  if (node.id === id) return by;
  return node.kind === 'tabs'
    ? node
    : { ...node, children: node.children.map((child) => replace(child, id, by)) };
}

/** Removes a place; the last one stays, empty. */
function cleared(panes: PaneNode, id: string): PaneNode {
  const rest = remove(panes, id);
  if (rest !== null) return rest;
  return { ...ONE_PANE, id };
}

function remove(node: PaneNode, id: string): PaneNode | null {
  if (node.id === id) return null;
  if (node.kind === 'tabs') return node;
  const children = node.children
    .map((child) => remove(child, id))
    .filter((child) => child !== null);
  return joined({ ...node, children });
}

/** Puts a pane beside another one; joins the split that it is in, when that goes the same way. */
function insert(node: PaneNode, beside: PaneTabs, made: PaneTabs, side: PaneSide): PaneNode {
  const direction = side === 'left' || side === 'right' ? 'row' : 'column';
  const isBefore = side === 'left' || side === 'top';
  if (node.id === beside.id) {
    const pair = [
      { ...beside, size: 1 },
      { ...made, size: 1 },
    ];
    const id = `s${made.id}`;
    const children = isBefore ? pair.reverse() : pair;
    return { kind: 'split', id, size: beside.size, direction, children };
  }
  if (node.kind === 'tabs') return node;
  if (node.direction !== direction || !node.children.some(({ id }) => id === beside.id))
    return { ...node, children: node.children.map((child) => insert(child, beside, made, side)) };
  const half = beside.size / 2;
  const children = node.children.flatMap((child) => {
    if (child.id !== beside.id) return [child];
    const pair = [
      { ...child, size: half },
      { ...made, size: half },
    ];
    return isBefore ? pair.reverse() : pair;
  });
  return { ...node, children };
}

/** Returns a split in its simplest form: without one that holds nothing, or one thing, or goes the same way. */
function joined(split: PaneSplit): PaneNode | null {
  const [first, second] = split.children;
  if (first === undefined) return null;
  if (second === undefined) return { ...first, size: split.size };
  const children = split.children.flatMap((child) => {
    if (child.kind === 'tabs' || child.direction !== split.direction) return [child];
    const total = child.children.reduce((sum, { size }) => sum + size, 0);
    return child.children.map((inner) => ({ ...inner, size: (inner.size / total) * child.size }));
  });
  return { ...split, children };
}

/** Returns an id that no place has. */
function freeId(panes: PaneNode): string {
  const numbers = tabsOf(panes).map(({ id }) => Number(id.slice(1)) || 0);
  return `p${Math.max(0, ...numbers) + 1}`;
}

/** Forgets places of terminals that are not among `kept`, the oldest first, when there are too many. */
function bounded(panes: PaneNode, kept: ReadonlySet<string>): PaneNode {
  const all = tabsOf(panes).flatMap(({ terminals }) => terminals);
  const old = all.filter((id) => !kept.has(id)).slice(0, Math.max(0, all.length - MAX_PLACES));
  return old.reduce(without, panes);
}
