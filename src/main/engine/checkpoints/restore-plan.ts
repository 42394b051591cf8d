import type { ConflictReason, FileAct, RestoreFile } from '../../../shared/checkpoint';
import type { ChangeSet, FileState } from '../ports-checkpoints';
import { sameState } from './changes';

/** One path on its way back: what it is now, and what it is to be. */
export interface PlannedFile {
  readonly path: string;
  readonly now: FileState | null;
  readonly target: FileState | null;
  /** The reason to ask first; absent: there is none. */
  readonly conflict?: ConflictReason;
}

/** The paths that a restore would change, and those that it cannot. */
export interface RestorePlan {
  readonly files: readonly PlannedFile[];
  /** The content they are to have was too large to be kept. */
  readonly lost: readonly string[];
}

/** Lists the paths of change sets, each once. */
export const pathsOf = (sets: readonly ChangeSet[]): readonly string[] => [
  ...new Set(sets.flatMap(({ changes }) => changes.map(({ path }) => path))),
];

/**
 * Plans to take change sets back, given oldest first: each path goes back to its state before the first of them. A path
 * that is not as the last of them left it, or that changed between two of them, belongs to somebody else by now. Pure.
 */
export function planRestore(
  sets: readonly ChangeSet[],
  current: ReadonlyMap<string, FileState | null>,
): RestorePlan {
  const chains = new Map<string, Chain>();
  for (const { changes, uncertain } of sets) {
    for (const { path, before, after } of changes) {
      const chain = chains.get(path);
      chains.set(path, {
        first: chain === undefined ? before : chain.first,
        last: after,
        edited: chain !== undefined && (chain.edited || !sameState(chain.last, before)),
        uncertain: uncertain || (chain?.uncertain ?? false),
      });
    }
  }
  const files: PlannedFile[] = [];
  const lost: string[] = [];
  for (const [path, chain] of chains) {
    const now = current.get(path) ?? null;
    const target = chain.first;
    if (sameState(now, target)) continue;
    if (target?.kind === 'file' && target.blob === null) {
      lost.push(path);
      continue;
    }
    const conflict = conflictOf(chain, now, target);
    files.push({ path, now, target, ...(conflict === null ? {} : { conflict }) });
  }
  return { files, lost };
}

interface Chain {
  readonly first: FileState | null;
  readonly last: FileState | null;
  readonly edited: boolean;
  readonly uncertain: boolean;
}

function conflictOf(
  { last, edited, uncertain }: Chain,
  now: FileState | null,
  target: FileState | null,
): ConflictReason | null {
  if (now?.kind === 'file' && now.blob === null) return 'unkept';
  // A folder that is there again, or gone, takes nobody's work away.
  const isBare = isNoFile(now) && isNoFile(last);
  if (!isBare && !sameState(now, last)) return 'edited';
  // A file that somebody took away is not brought back unasked.
  if (edited && !(isBare && isNoFile(target))) return 'edited';
  return uncertain ? 'uncertain' : null;
}

const isNoFile = (state: FileState | null): boolean => state === null || state.kind === 'folder';

/** Describes a planned path for people; lines are counted elsewhere. */
export function fileOf({ path, now, target, conflict }: PlannedFile): RestoreFile {
  const kind = (target ?? now)?.kind ?? 'file';
  return { path, kind, act: actOf(now, target), ...(conflict === undefined ? {} : { conflict }) };
}

function actOf(now: FileState | null, target: FileState | null): FileAct {
  if (now === null) return 'create';
  if (target === null) return 'delete';
  if (now.kind === 'folder' && target.kind === 'folder') return 'mode';
  const sameBytes = now.kind === 'file' && target.kind === 'file' && now.blob === target.blob;
  return sameBytes ? 'mode' : 'change';
}
