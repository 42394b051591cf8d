import { z } from 'zod';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../environment';
import { defineChangeTool } from '../support/change-tool';
import { readCurrent } from '../support/current-text';
import type { FileChange } from '../support/file-change';
import { isNotebookPath, parseNotebook } from '../support/notebook';
import { PathInput, type Target } from '../support/target';
import { encodeText } from '../support/text-format';
import { type CellEdit, editNotebook } from './edit-notebook';

const Input = z.strictObject({
  notebook_path: PathInput.describe(
    'The notebook to change: absolute, or relative to the working directory.',
  ),
  cell_id: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The id of the cell, as Read shows it. For insert: the cell before; none for the start.',
    ),
  new_source: z.string().describe('The whole new text of the cell; for delete it does not matter.'),
  cell_type: z
    .enum(['code', 'markdown'])
    .optional()
    .describe('Needed for insert; for replace the default is the type the cell has.'),
  edit_mode: z
    .enum(['replace', 'insert', 'delete'])
    .optional()
    .describe('replace (default), insert a new cell, or delete one.'),
});

const DESCRIPTION = `Changes one cell of a Jupyter notebook (.ipynb).

- Read the notebook first, in this session; it shows the ids of the cells. If it changed since, read it again.
- Replaces the whole text of the cell; insert puts a new cell behind cell_id; delete removes the cell.
- A code cell that changes loses its outputs. Everything else in the file stays as it is.`;

/** Creates the tool that changes notebooks cell by cell. */
export const createNotebookEditTool = () =>
  defineChangeTool({
    name: 'NotebookEdit',
    seldom: true,
    description: DESCRIPTION,
    input: Input,
    pathField: 'notebook_path',
    plan: planNotebookEdit,
    report,
  });

const DONE = { replace: 'Changed', insert: 'Added', delete: 'Removed' } as const;

const report = ({ mode, cell }: PlannedCellEdit, name: string): string =>
  `${DONE[mode]} cell ${cell} in ${name}.`;

/** The input of NotebookEdit. */
interface NotebookEditInput extends CellEdit {
  readonly notebook_path: string;
}

/** A change of one cell that was worked out and not made yet. */
interface PlannedCellEdit extends FileChange {
  readonly mode: 'replace' | 'insert' | 'delete';
  /** The name of the cell that changed. */
  readonly cell: string;
}

/** Works the change of a notebook out without making it. The error is for the model. */
async function planNotebookEdit(
  input: NotebookEditInput,
  target: Target,
  env: ToolEnvironment,
): Promise<Result<PlannedCellEdit, string>> {
  if (!isNotebookPath(target.realPath)) {
    return err(`${target.path} is not a notebook (.ipynb). Use Edit for other files.`);
  }
  const current = await readCurrent(target, env);
  if (!current.ok) return current;
  if (current.value === null) return err(`${target.path} does not exist. Create it with Write.`);
  const { decoded } = current.value;
  if (decoded === null)
    return err(`${target.path} is not a text file, or is too large to be edited.`);
  const notebook = parseNotebook(decoded.text);
  if (!notebook.ok) return err(`${target.path} cannot be edited by cell: ${notebook.error}.`);
  const edited = editNotebook(decoded.text, notebook.value, input);
  if (!edited.ok) return err(`${target.path} was not changed: ${edited.error}`);
  const { text: after, cell } = edited.value;
  const bytes = encodeText(after, decoded.format);
  if (bytes === null) return err('new_source contains half a character (a lone surrogate).');
  const mode = input.edit_mode ?? 'replace';
  return ok({ target, created: false, before: decoded.text, after, bytes, mode, cell });
}
