import { z } from 'zod';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../environment';
import { defineChangeTool } from '../support/change-tool';
import { type CurrentFile, readCurrent } from '../support/current-text';
import { changedSnippet, type FileChange, MAX_TEXT_BYTES } from '../support/file-change';
import { PathInput, type Target } from '../support/target';
import { encodeText } from '../support/text-format';
import { applyEdit } from './apply-edit';

const Input = z.strictObject({
  file_path: PathInput.describe(
    'The file to change: absolute, or relative to the working directory.',
  ),
  old_string: z.string().describe('The exact text to replace. Empty to create a file.'),
  new_string: z.string().describe('The text to put in its place.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence (default: false).'),
});

const DESCRIPTION = `Replaces text in a file.

- Read the file first, in this session. If it changed since, read it again.
- old_string must be exactly the text in the file, indentation included, without the line numbers that Read puts in front.
- old_string must occur exactly once. Take in enough surrounding lines to make it unique, or set replace_all (good for renaming).
- Encoding, byte order mark, line ends and permissions of the file are kept; write line ends as plain newlines.
- An empty old_string creates a file that does not exist yet.`;

/** The tool that replaces text in one file. */
export const createEditTool = () =>
  defineChangeTool({
    name: 'Edit',
    description: DESCRIPTION,
    input: Input,
    pathField: 'file_path',
    plan: planEdit,
    report,
  });

function report(edit: PlannedEdit, name: string): string {
  if (edit.created) return `Created ${name}.`;
  const places = edit.count === 1 ? '' : ` in ${edit.count} places`;
  return `Changed ${name}${places}. It now reads:\n${changedSnippet(edit)}`;
}

/** The input of Edit. */
interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** An edit that was worked out and not made yet. */
interface PlannedEdit extends FileChange {
  /** Number of places that change. */
  readonly count: number;
}

/** Works an edit out without making it. The error is for the model. */
async function planEdit(
  input: EditInput,
  target: Target,
  env: ToolEnvironment,
): Promise<Result<PlannedEdit, string>> {
  if (input.old_string === input.new_string) {
    return err('old_string and new_string are the same: nothing would change.');
  }
  const current = await readCurrent(target, env);
  if (!current.ok) return current;
  if (current.value !== null) return planReplacement(target, input, current.value);
  if (input.old_string === '') return planCreation(target, input.new_string);
  return err(`${target.path} does not exist. To create it, leave old_string empty or use Write.`);
}

function planCreation(target: Target, text: string): Result<PlannedEdit, string> {
  const bytes = encodeText(text, { encoding: 'utf-8', bom: false });
  if (bytes === null) return err('new_string contains half a character (a lone surrogate).');
  return ok({ target, created: true, before: '', after: text, bytes, count: 1 });
}

function planReplacement(
  target: Target,
  input: EditInput,
  { stat, decoded }: CurrentFile,
): Result<PlannedEdit, string> {
  if (decoded === null) return err(notText(target.path, stat.size));
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
  const { text: after, count } = edited.value;
  const bytes = encodeText(after, format);
  if (bytes === null) {
    return err(
      `new_string contains a character that ${target.path} cannot hold (${format.encoding}).`,
    );
  }
  return ok({ target, created: false, before, after, bytes, count });
}

const notText = (path: string, size: number): string =>
  size > MAX_TEXT_BYTES
    ? `${path} is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MiB. Change it with a command instead.`
    : `${path} is a binary file and cannot be edited as text.`;
