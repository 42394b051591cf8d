import { inConflict, type ResourceAccess } from './resource-access';

/** The most calls that run together (docs/spec.md D3). */
export const MAX_CONCURRENT_CALLS = 10;

/** One call of a schedule. Calls are named by their place in the response. */
export interface CallNode {
  /** `asking`: a user is being asked about it, which takes up no place among the running ones. */
  readonly state: 'waiting' | 'running' | 'asking' | 'settled';
  /** The calls that must be settled before it starts. Null: not known yet, so it cannot start. */
  readonly waitsFor: readonly number[] | null;
  /** The failed call because of which calls that wait for this one must not start; null when there is none. */
  readonly failedBy: number | null;
  /** The calls that share a limit with it, and that limit; absent: only the limit of all calls holds. */
  readonly group?: CallGroup;
}

/** Calls of which only so many run together: those of one tool. */
export interface CallGroup {
  readonly name: string;
  readonly limit: number;
}

/** The next steps of a response. */
export interface Schedule {
  readonly starts: readonly number[];
  /** Never started, because a call they wait for failed. */
  readonly cancels: readonly { readonly call: number; readonly because: number }[];
  /** Waiting for one another in a circle, for ever. */
  readonly deadlocked: readonly number[];
}

/** Returns the places of the earlier calls that a call must wait for. */
export const dependencies = (
  access: ResourceAccess,
  earlier: readonly ResourceAccess[],
): readonly number[] =>
  earlier.flatMap((other, place) => (inConflict(access, other) ? [place] : []));

/**
 * Sorts the calls that are not settled into layers: those of one layer can run together once all layers before it are
 * settled. The rest waits in a circle, or for a call in one. Pure.
 */
export function layersOf(nodes: readonly CallNode[]): {
  readonly layers: readonly (readonly number[])[];
  readonly circle: readonly number[];
} {
  const open = nodes.flatMap((node, place) => (node.state === 'settled' ? [] : [place]));
  const waiters = new Map<number, number[]>();
  const left = new Map<number, number>();
  for (const place of open) {
    const blockers = blockersOf(nodes, place);
    left.set(place, blockers.length);
    for (const blocker of blockers) {
      const list = waiters.get(blocker);
      if (list) list.push(place);
      else waiters.set(blocker, [place]);
    }
  }
  const layers: number[][] = [];
  let layer = open.filter((place) => left.get(place) === 0);
  while (layer.length > 0) {
    layers.push(layer);
    const freed: number[] = [];
    for (const waiter of layer.flatMap((place) => waiters.get(place) ?? [])) {
      const rest = (left.get(waiter) ?? 0) - 1;
      left.set(waiter, rest);
      if (rest === 0) freed.push(waiter);
    }
    layer = freed.sort((a, b) => a - b);
  }
  return { layers, circle: open.filter((place) => (left.get(place) ?? 0) > 0) };
}

/** Returns the open calls that a call waits for: none once it has begun. */
function blockersOf(nodes: readonly CallNode[], place: number): readonly number[] {
  const node = nodes[place];
  if (node?.state !== 'waiting') return [];
  return (node.waitsFor ?? []).filter((other) => nodes[other]?.state !== 'settled');
}

/** Returns which waiting calls start now, the earliest first and at most `limit` running, and which never will. Pure. */
export function schedule(
  nodes: readonly CallNode[],
  limit: number = MAX_CONCURRENT_CALLS,
): Schedule {
  const { layers, circle } = layersOf(nodes);
  const cancels = nodes.flatMap((node, call) => {
    const because = node.state === 'waiting' ? failureOf(nodes, node) : null;
    return because === null ? [] : [{ call, because }];
  });
  const cancelled = new Set(cancels.map(({ call }) => call));
  const ready = (layers[0] ?? []).filter((place) => {
    const node = nodes[place];
    return node?.state === 'waiting' && node.waitsFor !== null && !cancelled.has(place);
  });
  return {
    starts: withinLimits(ready, nodes, limit),
    cancels,
    deadlocked: circle.filter((place) => !cancelled.has(place)),
  };
}

/** Returns the calls of `ready` that the limits leave room for, the earliest first. */
function withinLimits(
  ready: readonly number[],
  nodes: readonly CallNode[],
  limit: number,
): readonly number[] {
  const running = nodes.filter((node) => node.state === 'running');
  const inGroup = (name: string, others: readonly CallNode[]) =>
    others.filter((other) => other.group?.name === name).length;
  const starts: number[] = [];
  const starting: CallNode[] = [];
  for (const place of ready) {
    const node = nodes[place];
    if (node === undefined || running.length + starting.length >= limit) break;
    const { group } = node;
    const full =
      group && inGroup(group.name, running) + inGroup(group.name, starting) >= group.limit;
    if (full) continue;
    starts.push(place);
    starting.push(node);
  }
  return starts;
}

function failureOf(nodes: readonly CallNode[], { waitsFor }: CallNode): number | null {
  for (const place of waitsFor ?? []) {
    const other = nodes[place];
    if (other?.state === 'settled' && other.failedBy !== null) return other.failedBy;
  }
  return null;
}
