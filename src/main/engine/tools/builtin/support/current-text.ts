import { err, ok, type Result } from '../../../../../shared/result';
import type { FileStat } from '../../../ports';
import type { ToolEnvironment } from '../../tool';
import { MAX_TEXT_BYTES } from './file-change';
import { unseenReason } from './prior-read';
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
  const opened = await env.files.open(target);
  if (!opened.ok) {
    return opened.error.code === 'not_found' ? ok(null) : err(opened.error.message);
  }
  const { stat, read, close } = opened.value;
  const bytes = await read(0, MAX_TEXT_BYTES).finally(close);
  if (!bytes.ok) return err(bytes.error.message);
  // A larger one is taken for no text: it may be replaced whole, not edited.
  const decoded = stat.size > MAX_TEXT_BYTES ? null : decodeText(bytes.value);
  const unseen = unseenReason(target, stat, decoded?.text ?? null, env.reads);
  return unseen === null ? ok({ stat, decoded }) : err(unseen);
}
