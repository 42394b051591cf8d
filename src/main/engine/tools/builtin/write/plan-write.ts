import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../tool';
import { type FileChange, MAX_TEXT_BYTES } from '../support/file-change';
import { unseenReason } from '../support/prior-read';
import { locate } from '../support/target';
import {
  type DecodedText,
  decodeText,
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
  env: ToolEnvironment,
): Promise<Result<FileChange, string>> {
  const target = await locate(input.file_path, env);
  const found = await env.files.stat(target.realPath);
  if (!found.ok && found.error.code !== 'not_found') return err(found.error.message);
  if (found.ok && found.value.kind === 'directory') {
    return err(`${target.path} is a folder, not a file.`);
  }
  const unseen = found.ok ? unseenReason(target, found.value, env.reads) : null;
  if (unseen !== null) return err(unseen);
  const old = found.ok ? await currentText(target.realPath, env) : null;
  const after = old === null ? input.content : inStyleOf(old, input.content);
  const bytes = encode(after, old?.format ?? UTF8);
  if (bytes === null) return err('content contains half a character (a lone surrogate).');
  return ok({ target, created: !found.ok, before: old?.text ?? '', after, bytes });
}

/** The text there is now; null for what is too large, binary or unreadable: it is replaced without a diff. */
async function currentText(path: string, env: ToolEnvironment): Promise<DecodedText | null> {
  const read = await env.files.read(path, MAX_TEXT_BYTES);
  return read.ok ? decodeText(read.value) : null;
}

/** A file with Windows line ends keeps them. */
const inStyleOf = (old: DecodedText, content: string): string =>
  lineEnd(old.text) === '\r\n' ? withLineEnd(content, '\r\n') : content;

/** The old encoding where it can hold the new text; a one-byte encoding that cannot gives way to UTF-8. */
const encode = (text: string, format: TextFormat): Uint8Array | null =>
  encodeText(text, format) ?? (format.encoding === 'latin1' ? encodeText(text, UTF8) : null);
