import { z } from 'zod';
import { defineChangeTool } from '../support/change-tool';
import { PathInput } from '../support/target';
import { type PlannedCellEdit, planNotebookEdit } from './plan-notebook-edit';

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

/** The tool that changes notebooks cell by cell. */
export const createNotebookEditTool = () =>
  defineChangeTool({
    name: 'NotebookEdit',
    description: DESCRIPTION,
    input: Input,
    pathField: 'notebook_path',
    plan: planNotebookEdit,
    report,
  });

const DONE = { replace: 'Changed', insert: 'Added', delete: 'Removed' } as const;

const report = ({ mode, cell }: PlannedCellEdit, name: string): string =>
  `${DONE[mode]} cell ${cell} in ${name}.`;
