import { relativeInside } from '../permissions/paths';

/**
 * The files that a call reads and writes, as far as they decide what may run beside it. Paths are real (links followed);
 * a folder stands for everything below it. `alone`: it may touch anything, so nothing runs beside it.
 */
export type ResourceAccess =
  | 'alone'
  | { readonly reads: readonly string[]; readonly writes: readonly string[] };

/** No file that another call could mean. */
export const NO_ACCESS: ResourceAccess = { reads: [], writes: [] };

/** Any file, read only. */
export const READS_EVERYTHING: ResourceAccess = { reads: ['/'], writes: [] };

/** Returns the access of a call that reads one file, or all of one folder. */
export const reading = (realPath: string): ResourceAccess => ({ reads: [realPath], writes: [] });

/** Returns the access of a call that writes one file. */
export const writing = (realPath: string): ResourceAccess => ({ reads: [], writes: [realPath] });

/** Tells whether two calls must keep their order: one writes what the other reads or writes, or runs alone. Pure, symmetric. */
export function inConflict(a: ResourceAccess, b: ResourceAccess): boolean {
  if (a === 'alone' || b === 'alone') return true;
  return (
    anyOverlap(a.writes, b.writes) || anyOverlap(a.writes, b.reads) || anyOverlap(a.reads, b.writes)
  );
}

const anyOverlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((path) => others.some((other) => overlap(path, other)));

/** Tells whether one is the other or holds it. Two spellings that some disk takes for one file count as one. */
const overlap = (a: string, b: string): boolean => holds(a, b) || holds(b, a);

const holds = (folder: string, path: string): boolean =>
  folder === '/' || relativeInside(folder.normalize(), path.normalize(), true) !== null;
