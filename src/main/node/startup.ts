import { performance } from 'node:perf_hooks';

/** A point of the start, and when it was reached. Milliseconds since Node began. */
interface Checkpoint {
  readonly name: string;
  readonly atMs: number;
  /** Since the point before it. */
  readonly tookMs: number;
}

/** Sets the checkpoints of the start apart from other marks of the process. */
const PREFIX = 'lathe: ';

/** Notes that the start has come to a point; only the first time counts. Node's own timeline keeps it. */
export function reached(name: string): void {
  if (!hasReached(name)) performance.mark(PREFIX + name);
}

/** Tells whether the start has come to a point. */
export const hasReached = (name: string): boolean =>
  performance.getEntriesByName(PREFIX + name).length > 0;

/** Returns the points that the start has come to, in order. */
export function startupProfile(): readonly Checkpoint[] {
  const marks = performance
    .getEntriesByType('mark')
    .filter(({ name }) => name.startsWith(PREFIX))
    .map(({ name, startTime }) => ({ name: name.slice(PREFIX.length), at: startTime }));
  const points = [{ name: 'Node', at: performance.nodeTiming.bootstrapComplete }, ...marks];
  return points
    .toSorted((one, other) => one.at - other.at)
    .map(({ name, at }, place, all) => ({
      name,
      atMs: rounded(at),
      tookMs: rounded(at - (all[place - 1]?.at ?? 0)),
    }));
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
