import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../tool';
import { type FileChange, MAX_TEXT_BYTES } from '../support/file-change';
import { unseenReason } from '../support/prior-read';
import { locate, type Target } from '../support/target';
import { decodeText, encodeText } from '../support/text-format';
import { applyEdit } from './apply-edit';

/** What Edit is given. */
export interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** An edit that was worked out and not made yet. */
export interface PlannedEdit extends FileChange {
  /** How many places change. */
  readonly count: number;
}

/** Works an edit out without making it. The error is for the model. */
export async function planEdit(
  input: EditInput,
  env: ToolEnvironment,
): Promise<Result<PlannedEdit, string>> {
  if (input.old_string === input.new_string) {
    return err('old_string and new_string are the same: nothing would change.');
  }
  const target = await locate(input.file_path, env);
  const found = await env.files.stat(target.realPath);
  if (!found.ok) {
    const absent = found.error.code === 'not_found';
    if (absent && input.old_string === '') return planCreation(target, input.new_string);
    const advice = absent ? ' To create it, leave old_string empty or use Write.' : '';
    return err(found.error.message + advice);
  }
  if (found.value.kind === 'directory') return err(`${target.path} is a folder, not a file.`);
  const unseen = unseenReason(target, found.value, env.reads);
  if (unseen !== null) return err(unseen);
  return planReplacement(target, input, env);
}

function planCreation(target: Target, text: string): Result<PlannedEdit, string> {
  const bytes = encodeText(text, { encoding: 'utf-8', bom: false });
  if (bytes === null) return err('new_string contains half a character (a lone surrogate).');
  return ok({ target, created: true, before: '', after: text, bytes, count: 1 });
}

async function planReplacement(
  target: Target,
  input: EditInput,
  env: ToolEnvironment,
): Promise<Result<PlannedEdit, string>> {
  const read = await env.files.read(target.realPath, MAX_TEXT_BYTES);
  if (!read.ok) {
    const advice = read.error.code === 'too_large' ? ' Change it with a command instead.' : '';
    return err(read.error.message + advice);
  }
  const decoded = decodeText(read.value);
  if (decoded === null) return err(`${target.path} is a binary file and cannot be edited as text.`);
  const { text: before, format } = decoded;
  if (input.old_string === '' && before !== '') {
    return err(`${target.path} exists and is not empty, so old_string must say what to replace.`);
  }
  const edited =
    before === '' && input.old_string === ''
      ? ok({ text: input.new_string, count: 1 })
      : applyEdit(before, {
          oldString: input.old_string,
          newString: input.new_string,
          replaceAll: input.replace_all ?? false,
        });
  if (!edited.ok) return err(`${target.path} was not changed: ${edited.error}`);
  const bytes = encodeText(edited.value.text, format);
  if (bytes === null) {
    return err(
      `new_string contains a character that ${target.path} cannot hold (${format.encoding}).`,
    );
  }
  return ok({
    target,
    created: false,
    before,
    after: edited.value.text,
    bytes,
    count: edited.value.count,
  });
}
