import type { ProcessEntry } from './process-table';

/** What a process tree grew from. */
export interface TreeRoot {
  /** The host whose tag the tree carries. Ids of terminals are only unique within a host. */
  readonly hostId: string;
  /** The terminal whose tag it carries; absent: everything the host ever started. */
  readonly terminalId?: string;
  /** The first process; absent when only the tag is known. */
  readonly pid?: number;
  readonly startTime?: string;
}

/**
 * The living processes of some trees: the roots, their descendants, what is left of their sessions (parents may have
 * died), and whatever carries their tags, with descendants. Processes in `spared` are never part of it.
 */
export function membersOf(
  roots: readonly TreeRoot[],
  entries: readonly ProcessEntry[],
  spared: ReadonlySet<number>,
): readonly ProcessEntry[] {
  const children = Map.groupBy(entries, (entry) => entry.ppid);
  const found = new Map<number, ProcessEntry>();
  const queue = entries.filter((entry) => roots.some((root) => isSeed(root, entry, entries)));
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
    if (found.has(entry.pid) || spared.has(entry.pid) || entry.pid <= 1) continue;
    found.set(entry.pid, entry);
    queue.push(...(children.get(entry.pid) ?? []));
  }
  return [...found.values()].filter((entry) => !entry.zombie);
}

function isSeed(root: TreeRoot, entry: ProcessEntry, entries: readonly ProcessEntry[]): boolean {
  if (entry.host === root.hostId && (root.terminalId ?? entry.terminal) === entry.terminal)
    return true;
  if (root.pid === undefined) return false;
  if (entry.pid === root.pid) return entry.startTime === root.startTime;
  return entry.sid === root.pid && !isReused(root, entries);
}

/** Somebody else has the root's pid by now, so sessions with that number are theirs. */
const isReused = (root: TreeRoot, entries: readonly ProcessEntry[]): boolean =>
  entries.some((entry) => entry.pid === root.pid && entry.startTime !== root.startTime);
