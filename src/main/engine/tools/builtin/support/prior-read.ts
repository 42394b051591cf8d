import type { FileStat } from '../../../ports';
import type { FileReadState } from '../../file-read-state';
import type { Target } from './target';

/** Why a file may not be changed yet: the model has not seen this version of it. Null when it has. */
export function unseenReason(target: Target, now: FileStat, reads: FileReadState): string | null {
  const seen = reads.get(target.realPath);
  if (seen === null) {
    return `${target.path} has not been read in this session. Read it first, then change it.`;
  }
  if (seen.mtimeMs !== now.mtimeMs || seen.size !== now.size) {
    return `${target.path} has changed since it was read (by a person, a formatter or a command). Read it again, then change it.`;
  }
  return null;
}
