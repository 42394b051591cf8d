import type { Stats } from 'node:fs';
import { sameState } from '../engine/checkpoints/changes';
import type { FileChange, FileState } from '../engine/ports-checkpoints';
import { type FileTable, type ScanResult, TICK_MS } from './scan';

/** A call that may change anything, while it runs. */
export interface WideCheckpoint {
  /** Changes that were found meanwhile and that no other call made; with the state before the first of them. */
  readonly found: Map<string, FileState | null>;
  uncertain: boolean;
  /** It runs in the background for as long as it likes, and makes others no less certain. */
  readonly background: boolean;
}

/** Adds changes to what wide checkpoints have found; the first state of a path stays. */
export function note(changes: readonly FileChange[], wide: ReadonlySet<WideCheckpoint>): void {
  for (const { found } of wide) {
    for (const { path, before } of changes) if (!found.has(path)) found.set(path, before);
  }
}

/** Joins what was found while something ran with what is found at its end. Pure. */
export function joined(
  found: ReadonlyMap<string, FileState | null>,
  last: readonly FileChange[],
  known: FileTable,
): readonly FileChange[] {
  if (found.size === 0) return last;
  const after = new Map(last.map((change) => [change.path, change]));
  for (const [path, before] of found) {
    const now = after.get(path);
    const state = now === undefined ? (known.get(path)?.state ?? null) : now.after;
    after.set(path, { path, before, after: state });
  }
  return [...after.values()].filter((change) => !sameState(change.before, change.after));
}

/**
 * Picks what rules newly cover, though it was there before a call began. Takes it out of what was found. What lies in a
 * folder that the call renamed is as old, but the same file as one that is gone.
 */
export function olderThan(found: ScanResult, openedAt: number, known: FileTable): ScanResult {
  const touched = new Map<string, Stats>();
  const moved = new Set([...found.gone].map((path) => known.get(path)?.signature.ino));
  for (const [path, stats] of found.touched) {
    if (known.has(path) || moved.has(stats.ino)) continue;
    if (Math.max(stats.ctimeMs, stats.mtimeMs) >= openedAt - TICK_MS) continue;
    touched.set(path, stats);
    found.touched.delete(path);
  }
  return { touched, gone: new Set(), uncovered: new Set(), rulesChanged: false };
}
