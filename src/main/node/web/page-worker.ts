import { Worker } from 'node:worker_threads';
import { err, ok } from '../../../shared/result';
import type { Web } from '../../engine/ports';

type Readable = Web['readable'];
type ReadableResult = Awaited<ReturnType<Readable>>;

/** A page that takes longer than this to read is a trap. Milliseconds. */
const TIME_LIMIT_MS = 15_000;
const MEMORY_LIMIT_MB = 512;

/** What the worker is given, and what it answers: the page, or why it cannot be read. */
export interface PageJob {
  readonly html: string;
  readonly url: string;
}
export type PageReply =
  | { readonly ok: true; readonly title: string; readonly markdown: string }
  | { readonly ok: false; readonly why: string };

/** Reads pages in a thread of their own, one thread a page: a huge or hostile page holds nothing up and ends in time. */
export function createPageReader(script: string): Readable {
  return (html, url, signal) => {
    if (signal.aborted) return Promise.resolve(err('Reading the page was stopped.'));
    return new Promise<ReadableResult>((resolve) => {
      const job: PageJob = { html, url: url.href };
      const worker = new Worker(script, {
        workerData: job,
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
      });
      const stop = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
      const settle = (result: ReadableResult) => {
        stop.removeEventListener('abort', onStop);
        resolve(result);
        void worker.terminate();
      };
      const onStop = () =>
        settle(
          err(
            signal.aborted ? 'Reading the page was stopped.' : 'The page takes too long to read.',
          ),
        );
      stop.addEventListener('abort', onStop);
      worker.once('message', (reply: PageReply) =>
        settle(reply.ok ? ok({ title: reply.title, markdown: reply.markdown }) : err(reply.why)),
      );
      worker.once('error', (error) => settle(err(`The page cannot be read: ${error.message}`)));
      worker.once('exit', () => settle(err('The page cannot be read.')));
    });
  };
}
