import { relativeInside } from '../permissions/paths';

/**
 * What a call reads and writes, as far as it decides what may run beside it. Paths are real (links followed); a folder
 * stands for everything below it. `alone`: it may touch anything, so nothing runs beside it.
 */
export type Reach =
  | 'alone'
  | { readonly reads: readonly string[]; readonly writes: readonly string[] };

/** Touches no file that another call could mean. */
export const FREE: Reach = { reads: [], writes: [] };

/** May read whatever there is, and writes nothing. */
export const READS_EVERYTHING: Reach = { reads: ['/'], writes: [] };

/** Reads one file, or all of one folder. */
export const reading = (realPath: string): Reach => ({ reads: [realPath], writes: [] });

/** Writes one file. */
export const writing = (realPath: string): Reach => ({ reads: [], writes: [realPath] });

/** Whether two calls must keep their order: one writes what the other reads or writes, or runs alone. Pure, symmetric. */
export function meet(a: Reach, b: Reach): boolean {
  if (a === 'alone' || b === 'alone') return true;
  return (
    anyOverlap(a.writes, b.writes) || anyOverlap(a.writes, b.reads) || anyOverlap(a.reads, b.writes)
  );
}

const anyOverlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((path) => others.some((other) => overlap(path, other)));

/** One is the other or holds it. Two spellings that some disk takes for one file count as one. */
const overlap = (a: string, b: string): boolean => holds(a, b) || holds(b, a);

const holds = (folder: string, path: string): boolean =>
  folder === '/' || relativeInside(folder.normalize(), path.normalize(), true) !== null;
