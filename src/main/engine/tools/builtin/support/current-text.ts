import { err, ok, type Result } from '../../../../../shared/result';
import type { FileFault, FileStat, Files, Place } from '../../../ports';
import type { ToolEnvironment } from '../../environment';
import type { FileReadState } from '../../file-read-state';
import { versionOf } from '../../file-read-state';
import { MAX_TEXT_BYTES } from './file-change';
import type { Target } from './target';
import { type DecodedText, decodeText } from './text-format';

/** A file as it is now. `decoded` is null for what is no text. */
export interface CurrentFile {
  readonly stat: FileStat;
  readonly decoded: DecodedText | null;
}

/**
 * Reads the file that is about to be changed, in the version that the model has seen; null when there is none.
 * The error is for the model: not seen yet, changed since, not readable.
 */
export async function readCurrent(
  target: Target,
  env: ToolEnvironment,
): Promise<Result<CurrentFile | null, string>> {
  const current = await readPlace(target, env.services.files);
  if (!current.ok) {
    return current.error.code === 'not_found' ? ok(null) : err(current.error.message);
  }
  const { stat, decoded } = current.value;
  const unseen = unseenReason(target, stat, decoded?.text ?? null, env.agent.reads);
  return unseen === null ? current : err(unseen);
}

/** Reads the file at a place that was decided on; one that is too large to be edited counts as no text. */
export async function readPlace(
  place: Place,
  files: Files,
): Promise<Result<CurrentFile, FileFault>> {
  const opened = await files.open(place);
  if (!opened.ok) return opened;
  const { stat, read, close } = opened.value;
  const bytes = await read(0, MAX_TEXT_BYTES).finally(close);
  if (!bytes.ok) return bytes;
  return ok({ stat, decoded: stat.size > MAX_TEXT_BYTES ? null : decodeText(bytes.value) });
}

/**
 * Returns the reason a file may not be changed yet: the model has not seen this version of it. Null when it has. `text` is what
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
    : `${target.path} has changed since it was read (by a user, a formatter or a command). Read it again, then change it.`;
}
