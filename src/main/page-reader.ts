import { parentPort, workerData } from 'node:worker_threads';
import type { PageJob, PageReply } from './node/web/page-worker';
import { readablePage } from './node/web/readable-page';

/** The thread that reads one web page. Started by `node/web/page-worker.ts`. */
const { html, url }: PageJob = workerData;

parentPort?.postMessage(read());

function read(): PageReply {
  try {
    return { ok: true, ...readablePage(html, url) };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}
