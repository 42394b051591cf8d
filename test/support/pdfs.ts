import type { Pdfs } from '../../src/main/engine/ports-documents';
import { countPages, cutPages } from '../../src/main/node/pdf-pages';

/** PDF files read in this very thread: what the threads do, without their start. */
export const pdfsHere: Pdfs = {
  count: (bytes) => countPages(bytes),
  cut: (bytes, first, last) => cutPages(bytes, first, last),
};
