import type { PDFDocument } from '@cantoo/pdf-lib';
import { err, ok, type Result } from '../../shared/result';
import type { PdfFault, Pdfs } from '../engine/ports';

/** Objects parsed before other work gets a turn: a large PDF does not stop the process. */
const OBJECTS_PER_TICK = 500;

/** PDF files, through a library that is loaded when the first one is opened. */
export const createPdfs = (): Pdfs => ({
  count: async (bytes) => {
    const document = await open(bytes);
    return document.ok ? pagesOf(document.value) : document;
  },
  cut: async (bytes, first, last) => {
    const document = await open(bytes);
    if (!document.ok) return document;
    const total = pagesOf(document.value);
    if (!total.ok) return total;
    if (first > total.value) return err(noSuchPage(first, total.value));
    const end = Math.min(last, total.value);
    try {
      return ok({
        bytes: await copy(document.value, first, end),
        first,
        last: end,
        total: total.value,
      });
    } catch (thrown) {
      return err(broken(thrown));
    }
  },
});

async function open(bytes: Uint8Array): Promise<Result<PDFDocument, PdfFault>> {
  const { EncryptedPDFError, PDFDocument } = await import('@cantoo/pdf-lib');
  try {
    const options = {
      parseSpeed: OBJECTS_PER_TICK,
      updateMetadata: false,
      warnOnInvalidObjects: false,
    };
    return ok(await PDFDocument.load(bytes, options));
  } catch (thrown) {
    return err(thrown instanceof EncryptedPDFError ? ENCRYPTED : broken(thrown));
  }
}

/** A broken file can be opened and still have no pages that can be found. */
function pagesOf(document: PDFDocument): Result<number, PdfFault> {
  try {
    const pages = document.getPageCount();
    return pages === 0 ? err(broken('it has no pages')) : ok(pages);
  } catch (thrown) {
    return err(broken(thrown));
  }
}

async function copy(source: PDFDocument, first: number, last: number): Promise<Uint8Array> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  const part = await PDFDocument.create({ updateMetadata: false });
  const wanted = Array.from({ length: last - first + 1 }, (_, i) => first - 1 + i);
  for (const page of await part.copyPages(source, wanted)) part.addPage(page);
  return part.save({ objectsPerTick: OBJECTS_PER_TICK });
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
