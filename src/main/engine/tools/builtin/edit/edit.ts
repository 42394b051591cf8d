import { z } from 'zod';
import { defineChangeTool } from '../support/change-tool';
import { changedSnippet } from '../support/file-change';
import { PathInput } from '../support/target';
import { type PlannedEdit, planEdit } from './plan-edit';

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
- Prefer changing an existing file to writing a new one. An empty old_string creates a file that does not exist yet.`;

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
