import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KillReport } from '../../../shared/terminal';
import {
  HOST_TAG,
  type ProcessEntry,
  type ProcessIdentity,
  type ProcessTable,
  TERMINAL_TAG,
} from './process-table';

/** The origin of a process tree. */
export interface TreeRoot {
  /** The host whose tag the tree carries. Ids of terminals are only unique within a host. */
  readonly hostId: string;
  /** The terminal whose tag it carries; absent: everything the host ever started. */
  readonly terminalId?: string;
  /** The first process; absent when only the tag is known. */
  readonly pid?: number;
  readonly startTime?: string;
  /** The control group it was started in: whatever is in that or below it belongs to the tree. */
  readonly group?: string;
  /** Processes that were seen in the tree: they belong to it wherever they are by now. */
  readonly seen?: readonly ProcessIdentity[];
}

/**
 * Returns the living processes of some trees: the roots, their descendants, what is left of their sessions (parents may have
 * died), whatever carries their tags or was seen in them, with descendants. Processes in `spared` are never part of it.
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
  if (root.group !== undefined && `${entry.group}/`.startsWith(`${root.group}/`)) return true;
  if (root.seen?.some((one) => one.pid === entry.pid && one.startTime === entry.startTime))
    return true;
  if (root.pid === undefined) return false;
  if (entry.pid === root.pid) return entry.startTime === root.startTime;
  return entry.sid === root.pid && !isReused(root, entries);
}

/** Tells whether another process has the root's pid by now; sessions with that number are then its own. */
const isReused = (root: TreeRoot, entries: readonly ProcessEntry[]): boolean =>
  entries.some((entry) => entry.pid === root.pid && entry.startTime !== root.startTime);

/** Time for a process to vanish after KILL, in milliseconds; later it is reported as a survivor. */
const VERIFY_MS = 3_000;
/** Time between two looks, growing by half each time between these. Milliseconds. */
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 150;

/** Options of ending trees. */
export interface KillOptions {
  /** Between TERM and KILL. Milliseconds. */
  readonly graceMs: number;
  /** Interactive shells ignore TERM and obey HUP. */
  readonly hangUp?: boolean;
  /** Pids that are never touched: our own. */
  readonly spared: ReadonlySet<number>;
}

/**
 * Ends whole process trees: TERM (to late arrivals too), grace, KILL until none is left, then the truth about it.
 * Never signals a process whose start time has changed since it was found.
 */
export async function killTrees(
  roots: readonly TreeRoot[],
  table: ProcessTable,
  options: KillOptions,
): Promise<KillReport> {
  const met = new Map<string, ProcessEntry>();
  const look = async (): Promise<readonly ProcessEntry[]> => {
    // What was met stays known: a child that left its session and its environment has no parent when that has ended.
    const known: TreeRoot = { hostId: NO_HOST, seen: [...met.values()] };
    const members = membersOf([...roots, known], await table.list(), options.spared);
    for (const member of members) met.set(keyOf(member), member);
    return members;
  };
  await askToEnd(look, table, options);
  const survivors = await forceToEnd(look, table);
  const alive = new Set(survivors.map(keyOf));
  const killed = [...met.values()].filter((entry) => !alive.has(keyOf(entry)));
  return { killed: pidsOf(killed), survivors: pidsOf(survivors) };
}

/** Ends exactly this process: TERM, grace, KILL, then the truth about it. Its children live on. */
export async function killProcess(
  target: ProcessIdentity,
  table: ProcessTable,
  graceMs: number,
): Promise<KillReport> {
  const isGone = async () => (await table.startTime(target.pid)) !== target.startTime;
  const report = { killed: [target.pid], survivors: [] };
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) await table.signal(target, signal);
  if (await until(graceMs, isGone)) return report;
  await table.signal(target, 'SIGKILL');
  return (await until(VERIFY_MS, isGone)) ? report : { killed: [], survivors: [target.pid] };
}

/** The tag of no host. */
const NO_HOST = '';

const pidsOf = (entries: readonly ProcessEntry[]): number[] =>
  entries.map((entry) => entry.pid).sort((a, b) => a - b);

type Look = () => Promise<readonly ProcessEntry[]>;

async function askToEnd(look: Look, table: ProcessTable, options: KillOptions): Promise<void> {
  const signals: readonly NodeJS.Signals[] = options.hangUp
    ? ['SIGHUP', 'SIGTERM', 'SIGCONT']
    : ['SIGTERM', 'SIGCONT'];
  const asked = new Set<string>();
  await until(options.graceMs, async () => {
    const members = await look();
    for (const member of members) {
      if (asked.has(keyOf(member))) continue;
      asked.add(keyOf(member));
      for (const signal of signals) await table.signal(member, signal);
    }
    return members.length === 0;
  });
}

async function forceToEnd(look: Look, table: ProcessTable): Promise<readonly ProcessEntry[]> {
  let left: readonly ProcessEntry[] = [];
  await until(VERIFY_MS, async () => {
    left = await look();
    for (const member of left) await table.signal(member, 'SIGKILL');
    return left.length === 0;
  });
  return left;
}

/** Repeats `step` until it returns true, or `limitMs` have passed and it is false; calls it at least once. */
async function until(limitMs: number, step: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs;
  for (let wait = FIRST_LOOK_MS; !(await step()); wait = Math.min(wait * 1.5, LAST_LOOK_MS)) {
    const left = end - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(wait, left));
  }
  return true;
}

const keyOf = (entry: ProcessEntry): string => `${entry.pid}@${entry.startTime}`;

/** Trees of processes that were started without a terminal. */
export interface OwnTrees {
  /** Variables for the environment of a tree's first process; its descendants inherit them. */
  tags(id: string): Readonly<Record<string, string>>;
  /** Ends a tree: what grew from `pid` (a living child of ours), and whatever carries its tags. */
  end(id: string, pid: number): Promise<KillReport>;
}

/** Creates them for this process. `graceMs` lies between TERM and KILL. */
export function createOwnTrees(table: ProcessTable, graceMs: number): OwnTrees {
  const hostId = randomUUID();
  return {
    tags: (id) => ({ [TERMINAL_TAG]: id, [HOST_TAG]: hostId }),
    end: async (id, pid) => {
      const startTime = await table.startTime(pid);
      const root = { hostId, terminalId: id, ...(startTime === null ? {} : { pid, startTime }) };
      return killTrees([root], table, { graceMs, spared: new Set([process.pid]) });
    },
  };
}
