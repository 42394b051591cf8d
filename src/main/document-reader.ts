import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentJob, DocumentReply } from './node/document-thread';

/** The thread that reads one document. Started by `node/document-thread.ts`. */
const job: DocumentJob = workerData;

read(job).then(
  (reply) => parentPort?.postMessage(reply),
  (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ kind: 'failed', why } satisfies DocumentReply);
  },
);

async function read(document: DocumentJob): Promise<DocumentReply> {
  if (document.kind === 'page') {
    const { readablePage } = await import('./node/web/readable-page');
    return { kind: 'page', ...readablePage(document.html, document.url) };
  }
  const { countPages, cutPages } = await import('./node/pdf-pages');
  if (document.kind === 'count') {
    const pages = await countPages(document.pdf);
    return pages.ok
      ? { kind: 'count', pages: pages.value }
      : { kind: 'pdf_fault', fault: pages.error };
  }
  const pages = await cutPages(document.pdf, document.first, document.last);
  return pages.ok ? { kind: 'cut', pages: pages.value } : { kind: 'pdf_fault', fault: pages.error };
}
