import { imageType } from '../../../../../shared/image-type';
import type { ImageBlock, ResultContent } from '../../../../../shared/message';
import {
  cellName,
  joined,
  type Notebook,
  type NotebookCell,
  type NotebookOutput,
} from '../support/notebook';
import { cutText } from '../support/numbered-lines';
import { imageFault } from './read-image';

/** Of one output; a longer one is cut. Characters. */
const MAX_OUTPUT_CHARS = 10_000;
/** Of all cells in one result. Characters. */
const MAX_CHARS = 48_000;
const MAX_IMAGES = 20;
/** The largest image the Messages API takes, in base64 characters. */
const MAX_IMAGE_CHARS = (5 * 1024 * 1024 * 4) / 3;

/** The cells that were read; `first` is the number of the first one, from 1. */
export interface NotebookRead {
  readonly content: readonly ResultContent[];
  readonly first: number;
  readonly count: number;
  readonly total: number;
}

/** Cells with their outputs, from cell `offset` (1 is the first), at most `limit` and as many as fit. */
export function showNotebook(
  { cells }: Notebook,
  { offset = 1, limit = cells.length }: { readonly offset?: number; readonly limit?: number },
): NotebookRead {
  const first = Math.max(offset, 1);
  const content: ResultContent[] = [];
  let chars = 0;
  let images = MAX_IMAGES;
  let count = 0;
  for (const [i, cell] of cells.slice(first - 1, first - 1 + limit).entries()) {
    const shown = showCell(cell, cellName(cell, first - 1 + i), images);
    const size = shown.reduce(
      (sum, block) => sum + (block.type === 'text' ? block.text.length : 0),
      0,
    );
    if (count > 0 && chars + size > MAX_CHARS) break;
    chars += size;
    images -= shown.filter((block) => block.type === 'image').length;
    content.push(...shown);
    count += 1;
  }
  const rest = cells.length - (first - 1) - count;
  if (rest > 0) {
    const next = first + count;
    const text = `(Cells ${first} to ${next - 1} of ${cells.length}. Go on with offset ${next}.)`;
    content.push({ type: 'text', text });
  }
  return { content, first, count, total: cells.length };
}

function showCell(cell: NotebookCell, name: string, imagesLeft: number): readonly ResultContent[] {
  const source = joined(cell.source);
  const text = `<cell id="${name}" type="${cell.cell_type}">\n${source}\n</cell>`;
  const blocks: ResultContent[] = [{ type: 'text', text: cut(text, MAX_CHARS) }];
  let left = imagesLeft;
  for (const output of cell.outputs ?? []) {
    const image = left > 0 ? imageOf(output) : null;
    const words = image === null ? wordsOf(output) : textOf(output);
    const said = cut(words, MAX_OUTPUT_CHARS);
    if (said !== '')
      blocks.push({ type: 'text', text: `<output of="${name}">\n${said}\n</output>` });
    if (image === null) continue;
    left -= 1;
    blocks.push(image);
  }
  return blocks;
}

/** Returns the words of an output whose image, if there is one, is not shown. */
const wordsOf = (output: NotebookOutput): string =>
  textOf(output) || (hasImage(output) ? '(An image that is not shown.)' : '');

const hasImage = ({ data }: NotebookOutput): boolean =>
  Object.keys(data ?? {}).some((type) => type.startsWith('image/'));

/** Returns an output in words: printed text, the plain form of a value, or an error without colours. */
function textOf({ text, data, ename, evalue, traceback, output_type }: NotebookOutput): string {
  if (output_type === 'error') {
    const trace = joined(traceback?.map((line) => `${line}\n`));
    return plain(`${ename ?? 'Error'}: ${evalue ?? ''}\n${trace}`.trimEnd());
  }
  if (text !== undefined) return plain(joined(text)).trimEnd();
  return plain(lines(data?.['text/plain'])).trimEnd();
}

function imageOf({ data }: NotebookOutput): ImageBlock | null {
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
    const base64 = lines(data?.[type]).replace(/\s/g, '');
    if (base64 === '' || base64.length > MAX_IMAGE_CHARS) continue;
    const bytes = Buffer.from(base64, 'base64');
    if (imageType(bytes) !== type || imageFault(type, bytes) !== null) continue;
    return { type: 'image', source: { type: 'base64', media_type: type, data: base64 } };
  }
  return null;
}

function lines(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the escapes that tracebacks are coloured with
const plain = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '');

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = cutText(text, max);
  return `${head}\n… [${text.length - head.length} more characters are not shown]`;
}
