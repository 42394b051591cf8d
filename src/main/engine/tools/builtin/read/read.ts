import { z } from 'zod';
import type { ImageBlock } from '../../../../../shared/message';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolView } from '../../../../../shared/tool-call';
import type { FileFault, FileStat, OpenFile } from '../../../ports';
import { defineTool, type ToolContext } from '../../tool';
import { numberLines } from '../support/numbered-lines';
import {
  absoluteOf,
  decidedTarget,
  fileReach,
  fileRequest,
  locate,
  PathInput,
  readSubject,
  type Target,
} from '../support/target';
import { imageBlock, imageType } from './read-image';
import { DEFAULT_LINES, readStart, readText, type TextWindow } from './read-text';
import { similarFiles } from './similar-names';

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
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Reads a file.

- Text comes with line numbers, number and tab in front of each line; they are not part of the file.
- Without offset and limit: the first ${DEFAULT_LINES} lines. Long lines are cut. Files over 10 MiB need offset and limit.
- Images (PNG, JPEG, GIF, WebP) are shown to you.
- Read several files at once by several calls in one answer. For folders use Glob, to find text use Grep.`;

type Output =
  | { readonly kind: 'text'; readonly path: string; readonly window: TextWindow }
  | {
      readonly kind: 'image';
      readonly path: string;
      readonly bytes: number;
      readonly block: ImageBlock;
    };

/** Lines of a file kept with the call for the screen. */
const PREVIEW_LINES = 30;
const PREVIEW_CHARS = 4000;

/** The tool that reads files. */
export const createReadTool = () =>
  defineTool<Input, Output>({
    name: 'Read',
    description: DESCRIPTION,
    input: Input,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    isDestructive: () => false,
    reach: async (input, env) => fileReach('read', await locate(input.file_path, env)),
    needs: async (input, env) => [fileRequest('Read', 'read', await locate(input.file_path, env))],
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
    toModel: (output) =>
      output.kind === 'image'
        ? [output.block]
        : [{ type: 'text', text: textReport(output.window) }],
    view: (_, output) => viewOf(output),
  });

async function read(input: Input, context: ToolContext): Promise<Result<Output, string>> {
  const target = decidedTarget(context);
  const opened = await context.files.open(target);
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
  const { stat } = file;
  const start = await readStart(file);
  if (!start.ok) return err(start.error.message);
  const mediaType = imageType(start.value);
  if (mediaType !== null) {
    const image = imageBlock(target.realPath, mediaType, stat.size, start.value);
    if (!image.ok) return image;
    remember(target, stat, true, context);
    return ok({ kind: 'image', path: target.path, bytes: stat.size, block: image.value });
  }
  const text = await readText(target.realPath, file, start.value, input, context.signal);
  if (!text.ok) return text;
  const { text: all, ...window } = text.value;
  if (window.lines.length === 0 && window.seen > 0) {
    return err(`${target.path} has ${window.seen} lines; line ${window.first} is past its end.`);
  }
  remember(target, stat, isWhole(window), context, all);
  return ok({ kind: 'text', path: target.path, window });
}

/** The stat is from before the reading: a change in between makes the next edit ask for another read. */
function remember(
  target: Target,
  { mtimeMs, size }: FileStat,
  whole: boolean,
  { reads }: ToolContext,
  text?: string,
): void {
  reads.set(target.realPath, { mtimeMs, size, whole }, text);
}

const isWhole = (window: TextWindow): boolean =>
  window.first === 1 && window.lines.length === window.total;

async function explain(target: Target, fault: FileFault, context: ToolContext): Promise<string> {
  if (fault.code === 'is_directory') {
    return `${target.path} is a folder. Use Glob to see what is in it.`;
  }
  if (fault.code !== 'not_found') return fault.message;
  const similar = await similarFiles(target.realPath, context.files);
  const advice = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  return `${target.path} does not exist (the working directory is ${context.cwd.get()}).${advice}`;
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

function viewOf(output: Output): ToolView {
  if (output.kind === 'image') {
    const detail = `Image, ${Math.ceil(output.bytes / 1024)} KiB`;
    return { kind: 'generic', title: output.path, detail };
  }
  const { lines, first, seen, total } = output.window;
  return {
    kind: 'file',
    path: output.path,
    startLine: first,
    lineCount: lines.length,
    totalLines: total ?? seen,
    preview: lines.slice(0, PREVIEW_LINES).join('\n').slice(0, PREVIEW_CHARS),
  };
}
