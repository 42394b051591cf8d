import type { FileStat } from '../../../ports';
import type { FileReadState } from '../../file-read-state';
import { versionOf } from '../../file-snapshots';
import type { Target } from './target';

/**
 * Why a file may not be changed yet: the model has not seen this version of it. Null when it has. `text` is what
 * the file says now (null: it is no text): where the text that was seen is still kept, it decides, not the times.
 */
export function unseenReason(
  target: Target,
  now: FileStat,
  text: string | null,
  reads: FileReadState,
): string | null {
  const seen = reads.get(target.realPath);
  if (seen === null) {
    return `${target.path} has not been read in this session. Read it first, then change it.`;
  }
  const known = reads.snapshots.text(target.realPath, versionOf(seen));
  const same = known === null ? versionOf(seen) === versionOf(now) : known === text;
  return same
    ? null
    : `${target.path} has changed since it was read (by a person, a formatter or a command). Read it again, then change it.`;
}
