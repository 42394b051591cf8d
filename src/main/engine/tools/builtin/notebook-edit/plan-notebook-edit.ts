import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../environment';
import { readCurrent } from '../support/current-text';
import type { FileChange } from '../support/file-change';
import { isNotebookPath, parseNotebook } from '../support/notebook';
import type { Target } from '../support/target';
import { encodeText } from '../support/text-format';
import { type CellEdit, editNotebook } from './edit-notebook';

/** What NotebookEdit is given. */
export interface NotebookEditInput extends CellEdit {
  readonly notebook_path: string;
}

/** A change of one cell that was worked out and not made yet. */
export interface PlannedCellEdit extends FileChange {
  readonly mode: 'replace' | 'insert' | 'delete';
  /** The name of the cell that changed. */
  readonly cell: string;
}

/** Works the change of a notebook out without making it. The error is for the model. */
export async function planNotebookEdit(
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
