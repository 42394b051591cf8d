import { Worker } from 'node:worker_threads';
import { err, ok } from '../../shared/result';
import type { PdfFault, PdfPages, Pdfs, Web } from '../engine/ports-documents';

/** The time limits of one document. Milliseconds. */
const TIME_LIMIT_MS = 15_000;
const PDF_TIME_LIMIT_MS = 60_000;
const MEMORY_LIMIT_MB = 512;
const PDF_MEMORY_LIMIT_MB = 1_024;

/** The work of a thread. */
export type DocumentJob =
  | { readonly kind: 'page'; readonly html: string; readonly url: string }
  | { readonly kind: 'count'; readonly pdf: Uint8Array }
  | {
      readonly kind: 'cut';
      readonly pdf: Uint8Array;
      readonly first: number;
      readonly last: number;
    };

/** The answer of a thread. */
export type DocumentReply =
  | { readonly kind: 'page'; readonly title: string; readonly markdown: string }
  | { readonly kind: 'count'; readonly pages: number }
  | { readonly kind: 'cut'; readonly pages: PdfPages }
  | { readonly kind: 'pdf_fault'; readonly fault: PdfFault }
  | { readonly kind: 'failed'; readonly why: string };

interface Limits {
  readonly timeMs: number;
  readonly memoryMb: number;
}

/**
 * Reads untrusted documents in threads of their own, one thread a document: a huge or hostile one blocks nothing, and
 * ends in time and within its memory. `script` is the built `document-reader`.
 */
export function createDocumentThreads(script: string): {
  readonly readable: Web['readable'];
  readonly pdfs: Pdfs;
} {
  const limits: Limits = { timeMs: PDF_TIME_LIMIT_MS, memoryMb: PDF_MEMORY_LIMIT_MB };
  return {
    readable: async (html, url, signal) => {
      const pageLimits = { timeMs: TIME_LIMIT_MS, memoryMb: MEMORY_LIMIT_MB };
      const reply = await run(script, { kind: 'page', html, url: url.href }, pageLimits, signal);
      return reply.kind === 'page'
        ? ok({ title: reply.title, markdown: reply.markdown })
        : err(`The page cannot be read: ${whyOf(reply)}`);
    },
    pdfs: {
      count: async (pdf, signal) => {
        const reply = await run(script, { kind: 'count', pdf }, limits, signal);
        return reply.kind === 'count' ? ok(reply.pages) : err(faultOf(reply));
      },
      cut: async (pdf, first, last, signal) => {
        const reply = await run(script, { kind: 'cut', pdf, first, last }, limits, signal);
        return reply.kind === 'cut' ? ok(reply.pages) : err(faultOf(reply));
      },
    },
  };
}

const whyOf = (reply: DocumentReply): string =>
  reply.kind === 'failed' ? reply.why : 'the reader answered something else';

const faultOf = (reply: DocumentReply): PdfFault =>
  reply.kind === 'pdf_fault'
    ? reply.fault
    : { code: 'broken', message: `it cannot be read (${whyOf(reply)})` };

function run(
  script: string,
  job: DocumentJob,
  { timeMs, memoryMb }: Limits,
  signal: AbortSignal,
): Promise<DocumentReply> {
  const failed = (why: string): DocumentReply => ({ kind: 'failed', why });
  if (signal.aborted) return Promise.resolve(failed('it was stopped'));
  return new Promise((resolve) => {
    const worker = new Worker(script, {
      workerData: job,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    const stop = AbortSignal.any([signal, AbortSignal.timeout(timeMs)]);
    const settle = (reply: DocumentReply) => {
      stop.removeEventListener('abort', onStop);
      resolve(reply);
      void worker.terminate();
    };
    const onStop = () => settle(failed(signal.aborted ? 'it was stopped' : 'it takes too long'));
    stop.addEventListener('abort', onStop);
    worker.once('message', (reply: DocumentReply) => settle(reply));
    worker.once('error', (error) => settle(failed(error.message)));
    worker.once('exit', () => settle(failed('the reader ended without an answer')));
  });
}
