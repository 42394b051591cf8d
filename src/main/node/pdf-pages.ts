import { EncryptedPDFError, PDFDocument } from '@cantoo/pdf-lib';
import { err, ok, type Result } from '../../shared/result';
import type { PdfFault, PdfPages } from '../engine/ports-documents';

/** Counts the pages of a PDF. */
export async function countPages(bytes: Uint8Array): Promise<Result<number, PdfFault>> {
  const document = await open(bytes);
  return document.ok ? pagesOf(document.value) : document;
}

/** Copies pages `first` to `last` (from 1, cut at the end of the document) into a document of their own. */
export async function cutPages(
  bytes: Uint8Array,
  first: number,
  last: number,
): Promise<Result<PdfPages, PdfFault>> {
  const document = await open(bytes);
  if (!document.ok) return document;
  const total = pagesOf(document.value);
  if (!total.ok) return total;
  if (first > total.value) return err(noSuchPage(first, total.value));
  const end = Math.min(last, total.value);
  try {
    const part = await copy(document.value, first, end);
    return ok({ bytes: part, first, last: end, total: total.value });
  } catch (thrown) {
    return err(broken(thrown));
  }
}

async function open(bytes: Uint8Array): Promise<Result<PDFDocument, PdfFault>> {
  try {
    const options = { updateMetadata: false, warnOnInvalidObjects: false };
    return ok(await PDFDocument.load(bytes, options));
  } catch (thrown) {
    return err(thrown instanceof EncryptedPDFError ? ENCRYPTED : broken(thrown));
  }
}

/** Counts pages; a broken file can be opened and still have none. */
function pagesOf(document: PDFDocument): Result<number, PdfFault> {
  try {
    const pages = document.getPageCount();
    return pages === 0 ? err(broken('it has no pages')) : ok(pages);
  } catch (thrown) {
    return err(broken(thrown));
  }
}

async function copy(source: PDFDocument, first: number, last: number): Promise<Uint8Array> {
  const part = await PDFDocument.create({ updateMetadata: false });
  const wanted = Array.from({ length: last - first + 1 }, (_, i) => first - 1 + i);
  for (const page of await part.copyPages(source, wanted)) part.addPage(page);
  return part.save();
}

const ENCRYPTED: PdfFault = { code: 'encrypted', message: 'it is protected by a password' };

function broken(thrown: unknown): PdfFault {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'broken', message: `it is damaged (${reason.slice(0, 200)})` };
}

const noSuchPage = (page: number, total: number): PdfFault => ({
  code: 'no_such_page',
  message: `there is no page ${page}: it has ${total} ${total === 1 ? 'page' : 'pages'}`,
});
