import path from 'node:path';
import { z } from 'zod';
import { imageType } from '../../../../../shared/image-type';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolView } from '../../../../../shared/tool-call';
import type { FileFault, FileStat, Files, OpenFile } from '../../../ports';
import type { ToolContext } from '../../environment';
import { fileNeeds } from '../../needs';
import { defineTool, type ToolContent } from '../../tool';
import { isNotebookPath, type Notebook, parseNotebook } from '../support/notebook';
import { cutText, numberLines } from '../support/numbered-lines';
import {
  absoluteOf,
  decidedTarget,
  fileAccess,
  locate,
  PathInput,
  readSubject,
  type Target,
} from '../support/target';
import { decodeText } from '../support/text-format';
import { imageBlock } from './read-image';
import { showNotebook } from './read-notebook';
import { isPdf, pagesText, readPdf } from './read-pdf';
import { DEFAULT_LINES, readStart, readText, type TextWindow } from './read-text';

const Input = z.strictObject({
  file_path: PathInput.describe(
    'The file to read: absolute, or relative to the working directory.',
  ),
  offset: z.number().int().min(0).max(1e9).optional().describe('The first line to read, from 1.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(1e6)
    .optional()
    .describe(`How many lines (default: ${DEFAULT_LINES}).`),
  pages: z
    .string()
    .min(1)
    .max(20)
    .optional()
    .describe('Only for PDF files: "3", "1-5" or "10-"; at most 20 pages.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Reads a file.

- Text comes with line numbers, number and tab in front of each line; they are not part of the file.
- Without offset and limit: the first ${DEFAULT_LINES} lines. Long lines are cut. Files over 10 MiB need offset and limit.
- Images (PNG, JPEG, GIF, WebP) are shown to you, and so are PDF files; a PDF of more than 10 pages needs pages.
- Notebooks (.ipynb) come cell by cell with their outputs; offset and limit then count cells.
- Read several files at once by several calls in one answer. For folders use Glob, to find text use Grep.`;

/** The result of a read, for the model and for the screen. */
interface Output {
  readonly content: ToolContent;
  readonly view: ToolView;
}

/** Lines of a file kept with the call for the screen. */
const PREVIEW_LINES = 30;
const PREVIEW_CHARS = 4000;

/** Creates the tool that reads files. */
export const createReadTool = () =>
  defineTool<Input, Output>({
    name: 'Read',
    isRepeatable: true,
    description: DESCRIPTION,
    input: Input,
    access: async (input, env) => fileAccess('read', await locate(input.file_path, env)),
    needs: fileNeeds('Read', 'read', 'file_path'),
    subject: async (input, env) => readSubject(await locate(input.file_path, env)),
    backfillObservableInput: (copy, env) => ({
      ...copy,
      file_path: absoluteOf(copy.file_path, env),
    }),
    title: ({ file_path = '' }) => ({ verb: 'Read', target: file_path }),
    // biome-ignore lint/correctness/useYield: a read is one step, there is nothing to report on the way
    execute: async function* (input, context) {
      const output = await read(input, context);
      return output.ok ? { ok: true, output: output.value } : { ok: false, message: output.error };
    },
    toModel: ({ content }) => content,
    view: (_, { view }) => view,
  });

async function read(input: Input, context: ToolContext): Promise<Result<Output, string>> {
  const target = decidedTarget(context);
  const opened = await context.services.files.open(target);
  if (!opened.ok) return err(await explain(target, opened.error, context));
  try {
    return await readOpen(target, opened.value, input, context);
  } finally {
    await opened.value.close();
  }
}

async function readOpen(
  target: Target,
  file: OpenFile,
  input: Input,
  context: ToolContext,
): Promise<Result<Output, string>> {
  const start = await readStart(file);
  if (!start.ok) return err(start.error.message);
  const mediaType = imageType(start.value);
  if (mediaType !== null) return showImage(target, file, mediaType, start.value, context);
  if (isPdf(start.value)) return showPdf(target, file, input, context);
  if (input.pages !== undefined) return err(`${target.path} is not a PDF; it has no pages.`);
  const notebook = isNotebookPath(target.realPath) ? decodeText(start.value) : null;
  const parsed = notebook === null ? null : parseNotebook(notebook.text);
  if (notebook !== null && parsed?.ok) {
    return showCells(target, file, parsed.value, notebook.text, input, context);
  }
  return showText(target, file, start.value, input, context);
}

function showImage(
  target: Target,
  { stat }: OpenFile,
  mediaType: string,
  bytes: Uint8Array,
  context: ToolContext,
): Result<Output, string> {
  const image = imageBlock(target.realPath, mediaType, stat.size, bytes);
  if (!image.ok) return image;
  remember(target, stat, true, context);
  const detail = `Image, ${Math.ceil(stat.size / 1024)} KiB`;
  return ok({ content: [image.value], view: { kind: 'generic', title: target.path, detail } });
}

async function showPdf(
  target: Target,
  file: OpenFile,
  { pages }: Input,
  context: ToolContext,
): Promise<Result<Output, string>> {
  const pdf = await readPdf(target.path, file, pages, context);
  if (!pdf.ok) return pdf;
  const { first, last, total, block } = pdf.value;
  remember(target, file.stat, first === 1 && last === total, context);
  const detail = `PDF, ${pagesText(first, last, total)}`;
  return ok({ content: [block], view: { kind: 'generic', title: target.path, detail } });
}

function showCells(
  target: Target,
  { stat }: OpenFile,
  notebook: Notebook,
  text: string,
  { offset, limit }: Input,
  context: ToolContext,
): Result<Output, string> {
  const { content, first, count, total } = showNotebook(notebook, {
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
  });
  if (count === 0 && total > 0) {
    return err(`${target.path} has ${total} cells; cell ${first} is past its end.`);
  }
  remember(target, stat, count === total, context, text);
  const detail = `Notebook, cells ${first} to ${first + count - 1} of ${total}`;
  const empty: ToolContent = [{ type: 'text', text: '(The notebook has no cells.)' }];
  return ok({
    content: total === 0 ? empty : content,
    view: { kind: 'generic', title: target.path, detail },
  });
}

async function showText(
  target: Target,
  file: OpenFile,
  start: Uint8Array,
  input: Input,
  context: ToolContext,
): Promise<Result<Output, string>> {
  const text = await readText(target.realPath, file, start, input, context.signal);
  if (!text.ok) return text;
  const { text: all, ...window } = text.value;
  if (window.lines.length === 0 && window.seen > 0) {
    return err(`${target.path} has ${window.seen} lines; line ${window.first} is past its end.`);
  }
  const whole = window.first === 1 && window.lines.length === window.total;
  remember(target, file.stat, whole, context, all);
  return ok({
    content: [{ type: 'text', text: textReport(window) }],
    view: textView(target.path, window),
  });
}

/**
 * Notes that a file was read. The stat is of the very file that was read: a change meanwhile makes the next edit ask
 * for another read.
 */
function remember(
  target: Target,
  { mtimeMs, size }: FileStat,
  whole: boolean,
  { agent: { reads } }: ToolContext,
  text?: string,
): void {
  reads.set(target.realPath, { mtimeMs, size, whole }, text);
}

async function explain(target: Target, fault: FileFault, context: ToolContext): Promise<string> {
  if (fault.code === 'is_directory') {
    return `${target.path} is a folder. Use Glob to see what is in it.`;
  }
  if (fault.code !== 'not_found') return fault.message;
  const similar = await similarFiles(target.realPath, context.services.files);
  const advice = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  return `${target.path} does not exist (the working directory is ${context.agent.cwd.get()}).${advice}`;
}

function textReport(window: TextWindow): string {
  if (window.lines.length === 0) return '(The file exists and is empty.)';
  const last = window.first + window.lines.length - 1;
  const text = numberLines(window.lines, window.first);
  if (window.total === last) return text;
  const total = window.total === null ? 'a large file' : `${window.total} lines`;
  const why = window.full ? 'the result was getting too long' : 'that is the limit';
  return `${text}\n\n(Lines ${window.first} to ${last} of ${total}; ${why}. Go on with offset ${last + 1}.)`;
}

const textView = (path: string, { lines, first, seen, total }: TextWindow): ToolView => ({
  kind: 'file',
  path,
  startLine: first,
  lineCount: lines.length,
  totalLines: total ?? seen,
  preview: cutText(lines.slice(0, PREVIEW_LINES).join('\n'), PREVIEW_CHARS),
});

/** A folder with more entries is not searched. */
const MAX_ENTRIES = 5000;
const MAX_SUGGESTIONS = 3;

/** Files beside a missing one that may have been meant. Full paths, best first. */
async function similarFiles(missing: string, files: Files): Promise<readonly string[]> {
  const folder = path.dirname(missing);
  const listed = await files.list(folder);
  if (!listed.ok || listed.value.length > MAX_ENTRIES) return [];
  const wanted = path.basename(missing);
  return listed.value
    .map((entry) => ({ name: entry.name, distance: nameDistance(wanted, entry.name) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 4))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => path.join(folder, name));
}

/** Measures how far two file names are apart: 0.5 for another ending, else the number of typing errors. */
function nameDistance(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return 0;
  if (path.parse(left).name === path.parse(right).name) return 0.5;
  return editDistance(left, right);
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
