import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../environment';
import { readCurrent } from '../support/current-text';
import type { FileChange } from '../support/file-change';
import type { Target } from '../support/target';
import {
  type DecodedText,
  encodeText,
  lineEnd,
  type TextFormat,
  withLineEnd,
} from '../support/text-format';

/** What Write is given. */
export interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

const UTF8: TextFormat = { encoding: 'utf-8', bom: false };

/** Works out what writing a file would change, without doing it. The error is for the model. */
export async function planWrite(
  input: WriteInput,
  target: Target,
  env: ToolEnvironment,
): Promise<Result<FileChange, string>> {
  const current = await readCurrent(target, env);
  if (!current.ok) return current;
  const old = current.value?.decoded ?? null;
  const after = old === null ? input.content : inStyleOf(old, input.content);
  const bytes = encode(after, old?.format ?? UTF8);
  if (bytes === null) return err('content contains half a character (a lone surrogate).');
  return ok({ target, created: current.value === null, before: old?.text ?? '', after, bytes });
}

/** A file with Windows line ends keeps them. */
const inStyleOf = (old: DecodedText, content: string): string =>
  lineEnd(old.text) === '\r\n' ? withLineEnd(content, '\r\n') : content;

/** The old encoding where it can hold the new text; a one-byte encoding that cannot gives way to UTF-8. */
const encode = (text: string, format: TextFormat): Uint8Array | null =>
  encodeText(text, format) ?? (format.encoding === 'latin1' ? encodeText(text, UTF8) : null);
