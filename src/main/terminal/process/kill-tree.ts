import { setTimeout as sleep } from 'node:timers/promises';
import type { KillReport } from '../../../shared/terminal';
import type { ProcessEntry, ProcessTable } from './process-table';
import { membersOf, type TreeRoot } from './tree';

/** How long a process may take to vanish after KILL before it is reported as a survivor. */
const VERIFY_MS = 3_000;
/** Time between two looks, growing by half each time between these. Milliseconds. */
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 150;

/** How trees are to be ended. */
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
    const members = membersOf(roots, await table.list(), options.spared);
    for (const member of members) met.set(keyOf(member), member);
    return members;
  };
  await askToEnd(look, table, options);
  const survivors = await forceToEnd(look, table);
  const alive = new Set(survivors.map(keyOf));
  const killed = [...met.values()].filter((entry) => !alive.has(keyOf(entry)));
  return { killed: pidsOf(killed), survivors: pidsOf(survivors) };
}

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

/** Repeats a step until it is done or the time is up; the step always happens at least once. */
async function until(limitMs: number, step: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + limitMs;
  for (let wait = FIRST_LOOK_MS; !(await step()); wait = Math.min(wait * 1.5, LAST_LOOK_MS)) {
    const left = end - performance.now();
    if (left <= 0) return;
    await sleep(Math.min(wait, left));
  }
}

const keyOf = (entry: ProcessEntry): string => `${entry.pid}@${entry.startTime}`;
