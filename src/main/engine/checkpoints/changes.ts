import type { FileState } from '../ports-checkpoints';

/** Returns whether two states are one: what a path is, its mode, and its content. */
export function sameState(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null || one.kind !== other.kind) return one === other;
  if (one.kind === 'link') return other.kind === 'link' && one.target === other.target;
  if (one.kind === 'folder') return other.kind === 'folder' && one.mode === other.mode;
  if (other.kind !== 'file' || one.mode !== other.mode) return false;
  // Of a file that is not kept nothing is known but its size: a touched one counts as changed.
  return one.blob !== null && one.blob === other.blob;
}
