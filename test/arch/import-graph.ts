import { posix } from 'node:path';
import type { SourceFile } from './source-file';

/** The files of the repository that one file imports, each as often as it does. */
export interface ImportEdges {
  readonly from: string;
  readonly to: readonly string[];
}

/** Returns the import graph of `files`; imports of packages and of files outside the list are left out. */
export function importEdges(files: readonly SourceFile[]): ImportEdges[] {
  const known = new Set(files.map((f) => f.path));
  return files.map((f) => ({ from: f.path, to: targetsInside(f, known) }));
}

/** Returns the path in the repository that a relative specifier in `file` names, without its query. */
export const resolveInside = (file: string, specifier: string): string =>
  posix.normalize(posix.join(posix.dirname(file), specifier.replace(/\?.*$/, '')));

function targetsInside(f: SourceFile, known: ReadonlySet<string>): string[] {
  return f.imports.flatMap((i) => {
    if (!i.specifier.startsWith('.')) return [];
    const base = resolveInside(f.path, i.specifier);
    const found = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].find(
      (p) => known.has(p),
    );
    return found === undefined ? [] : [found];
  });
}

/**
 * Finds the cycles in a graph: every strongly connected group of more than one node, and every node that
 * points at itself. Each cycle is given as one real way round, first node repeated at the end.
 */
export function findCycles(edges: readonly ImportEdges[]): string[][] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const targets = graph.get(from) ?? new Set<string>();
    for (const target of to) targets.add(target);
    graph.set(from, targets);
  }
  return groupsOf(graph).flatMap((group) => {
    const start = [...group].sort()[0];
    const way = start === undefined ? null : wayRound(graph, start, group);
    return way === null ? [] : [way];
  });
}

/** Tarjan's strongly connected components. */
function groupsOf(graph: ReadonlyMap<string, ReadonlySet<string>>): Set<string>[] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const groups: Set<string>[] = [];
  const visit = (node: string): number => {
    const mine = order.size;
    order.set(node, mine);
    stack.push(node);
    onStack.add(node);
    let lowest = mine;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (onStack.has(next)) lowest = Math.min(lowest, order.get(next) ?? lowest);
    }
    if (lowest === mine) {
      const group = stack.splice(stack.lastIndexOf(node));
      for (const member of group) onStack.delete(member);
      groups.push(new Set(group));
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return groups;
}

/** The shortest way from `start` back to `start` inside its group, or null when there is none. */
function wayRound(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
  group: ReadonlySet<string>,
): string[] | null {
  const queue: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    for (const next of graph.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, start];
      if (!group.has(next) || seen.has(next)) continue;
      seen.add(next);
      queue.push([...way, next]);
    }
  }
  return null;
}
