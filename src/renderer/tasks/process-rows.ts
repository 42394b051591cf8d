import type { ProcessFacts } from '../../shared/terminal';

/** One line of a tree of processes. */
export interface ProcessRow {
  readonly process: ProcessFacts;
  /** 0 for those whose parent is not in the tree. */
  readonly depth: number;
}

/** Returns the processes of a tree, each below its parent, in the order of their pids. */
export function rowsOf(processes: readonly ProcessFacts[]): readonly ProcessRow[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const sorted = processes.toSorted((a, b) => a.pid - b.pid);
  const children = Map.groupBy(sorted, ({ ppid }) => (pids.has(ppid) ? ppid : null));
  const seen = new Set<number>();
  const below = (parent: number | null, depth: number): readonly ProcessRow[] =>
    (children.get(parent) ?? []).flatMap((process) => {
      if (seen.has(process.pid)) return [];
      seen.add(process.pid);
      return [{ process, depth }, ...below(process.pid, depth + 1)];
    });
  return below(null, 0);
}

/** Returns what the processes use together; null where nothing is known. */
export function totalsOf(
  processes: readonly Pick<ProcessFacts, 'cpu' | 'memory'>[],
): Pick<ProcessFacts, 'cpu' | 'memory'> {
  return { cpu: sum(processes.map(({ cpu }) => cpu)), memory: sum(processes.map((p) => p.memory)) };
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
