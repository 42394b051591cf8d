import path from 'node:path';
import type { DocumentBlock } from '../../../../../shared/message';
import { err, ok, type Result } from '../../../../../shared/result';
import type { OpenFile } from '../../../ports';
import type { PdfPages } from '../../../ports-documents';
import type { ToolContext } from '../../environment';

/** The largest PDF that is taken apart. Bytes. */
const MAX_PDF_BYTES = 64 * 1024 * 1024;

/** The Messages API takes requests of 32 MB; in base64, with the rest of the conversation, this fits. Bytes. */
const MAX_SENT_BYTES = 15 * 1024 * 1024;

/** A PDF of more pages is read in parts, so that one file does not fill the context. */
const MAX_WHOLE_PAGES = 10;

/** Tells whether a file that starts with these bytes is a PDF. */
export const isPdf = (start: Uint8Array): boolean =>
  Buffer.from(start.subarray(0, 5)).toString('latin1') === '%PDF-';

/** Pages of a PDF for the model. */
interface PdfRead extends Omit<PdfPages, 'bytes'> {
  readonly block: DocumentBlock;
}

/** Reads a PDF, or the pages of it that were asked for (`1-5`). The error is for the model. */
export async function readPdf(
  name: string,
  file: OpenFile,
  pages: string | undefined,
  context: ToolContext,
): Promise<Result<PdfRead, string>> {
  if (!context.agent.takesPdf()) {
    return err(
      `${name} is a PDF, and this model is not known to read PDFs. Take its text out with a command (such as pdftotext), or ask for a model that can.`,
    );
  }
  const { size } = file.stat;
  if (size > MAX_PDF_BYTES) {
    return err(`${name} is a PDF of ${mebibytes(size)}; the limit is ${mebibytes(MAX_PDF_BYTES)}.`);
  }
  const range = pages === undefined ? null : parsePages(pages);
  if (range !== null && !range.ok) return range;
  const bytes = await file.read(0, size);
  if (!bytes.ok) return err(bytes.error.message);
  const found =
    range === null
      ? await whole(bytes.value, context)
      : await context.services.pdfs.cut(
          bytes.value,
          range.value.first,
          range.value.last,
          context.signal,
        );
  if (!found.ok) return err(`${name} cannot be read: ${found.error.message}.`);
  const part = found.value;
  if (part.last - part.first + 1 < part.total && range === null) return err(tooLong(name, part));
  if (part.bytes.byteLength > MAX_SENT_BYTES) {
    const size = mebibytes(part.bytes.byteLength);
    return err(`Pages ${part.first} to ${part.last} of ${name} take ${size}; ask for fewer pages.`);
  }
  const { first, last, total } = part;
  return ok({ first, last, total, block: documentBlock(name, part) });
}

/** Returns all pages when they are few; else only how many there are. */
async function whole(bytes: Uint8Array, { services: { pdfs }, signal }: ToolContext) {
  const total = await pdfs.count(bytes, signal);
  if (!total.ok) return total;
  const last = total.value > MAX_WHOLE_PAGES ? 0 : total.value;
  return ok<PdfPages>({ bytes, first: 1, last, total: total.value });
}

/** Names pages for the model: `page 3 of 8`, `pages 1 to 5 of 8`. */
export const pagesText = (first: number, last: number, total: number): string =>
  first === last ? `page ${first} of ${total}` : `pages ${first} to ${last} of ${total}`;

const documentBlock = (name: string, { bytes, first, last, total }: PdfPages): DocumentBlock => ({
  type: 'document',
  source: {
    type: 'base64',
    media_type: 'application/pdf',
    data: Buffer.from(bytes).toString('base64'),
  },
  title: `${path.basename(name)}, ${pagesText(first, last, total)}`,
});

const tooLong = (name: string, { total }: PdfPages): string =>
  `${name} has ${total} pages. Read it in parts: pages, for example "1-${Math.min(5, MAX_PAGES)}", at most ${MAX_PAGES} at once.`;

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** Pages of a PDF in one result. */
const MAX_PAGES = 20;

/** Some pages, both ends included; the first page is 1. */
interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Reads `3`, `1-5` or `10-` (to the end, as far as one result takes). The error is for the model. */
export function parsePages(asked: string): Result<PageRange, string> {
  const found = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?)?\s*$/.exec(asked);
  const first = Number(found?.[1]);
  if (found === null || first < 1) {
    return err(`pages must be like "3", "1-5" or "10-", not "${asked.slice(0, 40)}".`);
  }
  const open = found[2] !== undefined && found[3] === undefined;
  const last = open ? first + MAX_PAGES - 1 : Number(found[3] ?? first);
  if (last < first) return err(`pages "${asked}" ends before it begins.`);
  if (last - first >= MAX_PAGES) {
    return err(`pages "${asked}" are ${last - first + 1} pages; at most ${MAX_PAGES} at once.`);
  }
  return ok({ first, last });
}
