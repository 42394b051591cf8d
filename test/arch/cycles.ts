/**
 * Finds the circles in a graph: every strongly connected group of more than one node, and every node that
 * points at itself. Each circle is given as one real way round, first node repeated at the end.
 */
export function findCycles(
  edges: readonly { readonly from: string; readonly to: readonly string[] }[],
): string[][] {
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
  const groups: Set<string>[] = [];
  const visit = (node: string): number => {
    const mine = order.size;
    order.set(node, mine);
    stack.push(node);
    let lowest = mine;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? lowest);
    }
    if (lowest === mine) groups.push(new Set(stack.splice(stack.indexOf(node))));
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
