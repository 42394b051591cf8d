import { createHash } from 'node:crypto';
import { applyEdits, type JSONPath, modify } from 'jsonc-parser';
import { err, ok, type Result } from '../../../../../shared/result';
import { cellName, findCell, joined, type Notebook, type NotebookCell } from '../support/notebook';
import { lineEnd } from '../support/text-format';

/** One change of a notebook. */
export interface CellEdit {
  readonly cell_id?: string | undefined;
  readonly new_source: string;
  readonly cell_type?: 'code' | 'markdown' | undefined;
  readonly edit_mode?: 'replace' | 'insert' | 'delete' | undefined;
}

/** The new text of the notebook, and the name of the cell that changed. */
interface Edited {
  readonly text: string;
  readonly cell: string;
}

/**
 * Changes one cell in the text of a notebook; everything else stays as it is, byte for byte. A code cell that changes
 * loses its outputs: they are of the old code. The error is for the model.
 */
export function editNotebook(
  text: string,
  notebook: Notebook,
  edit: CellEdit,
): Result<Edited, string> {
  const index = edit.cell_id === undefined ? null : findCell(notebook, edit.cell_id);
  if (edit.cell_id !== undefined && index === null) return err(noSuchCell(notebook, edit.cell_id));
  if (edit.edit_mode === 'insert') return insert(text, notebook, index, edit);
  if (index === null) return err('cell_id is missing: which cell? Read shows the ids.');
  const cell = notebook.cells[index];
  if (cell === undefined) return err('there is no such cell.');
  if (edit.edit_mode === 'delete') {
    return ok({ text: set(text, ['cells', index], undefined), cell: cellName(cell, index) });
  }
  return replace(text, cell, index, edit);
}

function replace(
  text: string,
  cell: NotebookCell,
  index: number,
  { new_source, cell_type }: CellEdit,
): Result<Edited, string> {
  const type = cell_type ?? cell.cell_type;
  if (joined(cell.source) === new_source && type === cell.cell_type) {
    return err('new_source is what the cell says already: nothing would change.');
  }
  const source = typeof cell.source === 'string' ? new_source : linesOf(new_source);
  const isCode = type === 'code';
  const changes: readonly (readonly [field: string, value: unknown])[] = [
    ['source', source],
    ['cell_type', type],
    ...(isCode || 'outputs' in cell ? [['outputs', isCode ? [] : undefined] as const] : []),
    ...(isCode || 'execution_count' in cell
      ? [['execution_count', isCode ? null : undefined] as const]
      : []),
  ];
  const after = changes.reduce(
    (now, [field, value]) => set(now, ['cells', index, field], value),
    text,
  );
  return ok({ text: after, cell: cellName(cell, index) });
}

/** Inserts a cell behind the one at `index`, or as the first one. */
function insert(
  text: string,
  notebook: Notebook,
  index: number | null,
  { new_source, cell_type }: CellEdit,
): Result<Edited, string> {
  if (cell_type === undefined) return err('cell_type is missing: code or markdown?');
  const place = index === null ? 0 : index + 1;
  const { nbformat, nbformat_minor: minor = 0 } = notebook;
  const id = nbformat > 4 || minor >= 5 ? freshId(text, place, new_source) : undefined;
  const cell = {
    cell_type,
    ...(cell_type === 'code' ? { execution_count: null } : {}),
    ...(id === undefined ? {} : { id }),
    metadata: {},
    ...(cell_type === 'code' ? { outputs: [] } : {}),
    source: linesOf(new_source),
  };
  return ok({
    text: set(text, ['cells', place], cell, true),
    cell: id ?? `cell-${place}`,
  });
}

/** Makes an id from the content: what is shown for approval and what is written later must be the same. */
const freshId = (text: string, place: number, source: string): string =>
  createHash('sha256')
    .update(JSON.stringify([text, place, source]))
    .digest('hex')
    .slice(0, 8);

/** Changes one value in the JSON text, in the style the text has. */
function set(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? ' ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: lineEnd(text),
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
}

/** Splits a text as Jupyter stores it: lines with their ends. */
const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

/** Cell names given in an error. */
const MAX_NAMES = 30;

function noSuchCell({ cells }: Notebook, asked: string): string {
  const names = cells.slice(0, MAX_NAMES).map(cellName).join(', ');
  const more = cells.length > MAX_NAMES ? `, … (${cells.length} in all)` : '';
  return `there is no cell "${asked}". Its cells: ${names === '' ? 'none' : names}${more}.`;
}
