import { z } from 'zod';
import type { ApprovalSubject } from '../../../../../shared/permission';
import { defineTool } from '../../tool';
import { changedSnippet, changeSubject, changeView, commitChange } from '../support/file-change';
import { fileReach, fileRequest, locate, shortPath, withAbsolutePath } from '../support/target';
import { type PlannedEdit, planEdit } from './plan-edit';

const Input = z.strictObject({
  file_path: z
    .string()
    .min(1)
    .describe('The file to change: absolute, or relative to the working directory.'),
  old_string: z.string().describe('The exact text to replace. Empty to create a file.'),
  new_string: z.string().describe('The text to put in its place.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence (default: false).'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Replaces text in a file.

- Read the file first, in this session. If it changed since, read it again.
- old_string must be exactly the text in the file, indentation included, without the line numbers that Read puts in front.
- old_string must occur exactly once. Take in enough surrounding lines to make it unique, or set replace_all (good for renaming).
- Encoding, byte order mark, line ends and permissions of the file are kept; write line ends as plain newlines.
- Prefer changing an existing file to writing a new one. An empty old_string creates a file that does not exist yet.`;

interface Output {
  readonly edit: PlannedEdit;
  readonly name: string;
}

/** The tool that replaces text in one file. */
export const createEditTool = () =>
  defineTool<Input, Output>({
    name: 'Edit',
    description: DESCRIPTION,
    input: Input,
    isDestructive: () => false,
    reach: async (input, env) => fileReach('edit', await locate(input.file_path, env)),
    validateInput: async (input, env) => {
      const planned = await planEdit(input, env);
      return planned.ok ? null : planned.error;
    },
    needs: async (input, env) => [fileRequest('Edit', 'edit', await locate(input.file_path, env))],
    subject: async (input, env): Promise<ApprovalSubject> => {
      const planned = await planEdit(input, env);
      if (planned.ok) return changeSubject(planned.value);
      const target = await locate(input.file_path, env);
      return { kind: 'edit', files: [{ ...target, created: false, hunks: [] }] };
    },
    backfillObservableInput: withAbsolutePath,
    title: ({ file_path = '' }) => ({ verb: 'Edit', target: file_path }),
    // biome-ignore lint/correctness/useYield: an edit is one step, there is nothing to report on the way
    execute: async function* (input, context) {
      const planned = await planEdit(input, context);
      if (!planned.ok) return { ok: false, message: planned.error };
      if (context.signal.aborted)
        return { ok: false, message: 'Interrupted; nothing was changed.' };
      const done = await commitChange(planned.value, context);
      if (!done.ok) return { ok: false, message: done.error };
      const name = shortPath(planned.value.target.path, context);
      return { ok: true, output: { edit: planned.value, name } };
    },
    toModel: ({ edit, name }) => [{ type: 'text', text: report(edit, name) }],
    view: (_, { edit }) => changeView(edit),
  });

function report(edit: PlannedEdit, name: string): string {
  if (edit.created) return `Created ${name}.`;
  const places = edit.count === 1 ? '' : ` in ${edit.count} places`;
  return `Changed ${name}${places}. It now reads:\n${changedSnippet(edit)}`;
}
