import { z } from 'zod';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../environment';
import { defineChangeTool } from '../support/change-tool';
import { readCurrent } from '../support/current-text';
import type { FileChange } from '../support/file-change';
import { PathInput, type Target } from '../support/target';
import {
  type DecodedText,
  encodeText,
  lineEnd,
  type TextFormat,
  withLineEnd,
} from '../support/text-format';

const Input = z.strictObject({
  file_path: PathInput.describe(
    'The file to write: absolute, or relative to the working directory.',
  ),
  content: z.string().describe('The whole new content.'),
});

const DESCRIPTION = `Writes a whole file, replacing what was there.

- An existing file must have been read in this session first; if it changed since, read it again.
- To change a part of a file use Edit: it sends only the difference.
- Missing folders are made. An existing file keeps its encoding, line ends and permissions.`;

/** Creates the tool that writes whole files. */
export const createWriteTool = () =>
  defineChangeTool({
    name: 'Write',
    description: DESCRIPTION,
    input: Input,
    pathField: 'file_path',
    plan: planWrite,
    report,
  });

function report(change: FileChange, name: string): string {
  const lines = change.after === '' ? 0 : change.after.replace(/\n$/, '').split('\n').length;
  return `${change.created ? 'Created' : 'Replaced'} ${name} (${lines === 1 ? '1 line' : `${lines} lines`}).`;
}

/** The input of Write. */
interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

const UTF8: TextFormat = { encoding: 'utf-8', bom: false };

/** Works out what writing a file would change, without doing it. The error is for the model. */
async function planWrite(
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

/** Keeps the Windows line ends of a file that has them. */
const inStyleOf = (old: DecodedText, content: string): string =>
  lineEnd(old.text) === '\r\n' ? withLineEnd(content, '\r\n') : content;

/** Encodes in the old encoding where it can hold the new text; a one-byte encoding that cannot gives way to UTF-8. */
const encode = (text: string, format: TextFormat): Uint8Array | null =>
  encodeText(text, format) ?? (format.encoding === 'latin1' ? encodeText(text, UTF8) : null);
