import { z } from 'zod';
import { err, ok, type Result } from '../../../../../shared/result';

/** Text of a notebook: one string, or its lines. */
const MultilineText = z.union([z.string(), z.array(z.string())]);

const Output = z.looseObject({
  output_type: z.string(),
  text: MultilineText.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});

const Cell = z.looseObject({
  cell_type: z.enum(['code', 'markdown', 'raw']),
  id: z.string().optional(),
  source: MultilineText,
  outputs: z.array(Output).optional(),
});

const Notebook = z.looseObject({
  nbformat: z.number(),
  nbformat_minor: z.number().optional(),
  cells: z.array(Cell),
});

/** One cell of a notebook, and one of its outputs. Fields that are not known here are kept in the file. */
export type NotebookCell = z.infer<typeof Cell>;
export type NotebookOutput = z.infer<typeof Output>;
export type Notebook = z.infer<typeof Notebook>;

/** Returns whether a path names a Jupyter notebook. */
export const isNotebookPath = (path: string): boolean => path.toLowerCase().endsWith('.ipynb');

/** Parses a notebook (nbformat 4). The error says what is wrong with it. */
export function parseNotebook(text: string): Result<Notebook, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return err(`it is not JSON (${thrown instanceof Error ? thrown.message : String(thrown)})`);
  }
  const parsed = Notebook.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return err(
    `it is not a notebook of format 4 (${issue?.path.join('.') ?? ''}: ${issue?.message})`,
  );
}

/** Returns the text behind a field that may hold lines. */
export const joined = (text: string | readonly string[] | undefined): string =>
  typeof text === 'string' ? text : (text ?? []).join('');

/** Returns the name of a cell: its id, or its place (`cell-0` is the first) in files from before cells had ids. */
export const cellName = (cell: NotebookCell, index: number): string => cell.id ?? `cell-${index}`;

/** Finds the place of the cell of that name; null when there is none. */
export function findCell({ cells }: Notebook, name: string): number | null {
  const index = cells.findIndex((cell, i) => cellName(cell, i) === name);
  if (index !== -1) return index;
  const place = /^cell-(\d+)$/.exec(name);
  return place !== null && Number(place[1]) < cells.length ? Number(place[1]) : null;
}
