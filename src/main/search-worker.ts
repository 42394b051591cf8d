import { parentPort, workerData } from 'node:worker_threads';
import type { SessionSearch } from './search/hits';
import { createPlainScan } from './search/plain-scan';
import { createSearchIndex } from './search/search-index';
import type { SearchPlaces, SearchReply, SearchRequest } from './search/search-thread';
import { parseSearch } from './search/words';

/** The thread that searches sessions. Started by `search/search-thread.ts`. */
const places: SearchPlaces = workerData;
const running = new Set<number>();
const searching = openSearch();

parentPort?.on('message', (request: SearchRequest) => {
  if (request.kind === 'cancel') running.delete(request.id);
  else void answer(request.id, request.text, request.ownOnly);
});

async function answer(id: number, text: string, ownOnly: boolean): Promise<void> {
  const tell = (reply: SearchReply) => parentPort?.postMessage(reply);
  running.add(id);
  try {
    const terms = parseSearch(text);
    if (terms === null) {
      tell({ kind: 'answer', id, answer: { hits: [], more: false, progress: null, note: null } });
    } else {
      for await (const found of (await searching).search(terms, ownOnly)) {
        if (!running.has(id)) return;
        tell({ kind: 'answer', id, answer: found });
      }
    }
    tell({ kind: 'done', id });
  } catch (thrown) {
    tell({ kind: 'failed', id, why: thrown instanceof Error ? thrown.message : String(thrown) });
  } finally {
    running.delete(id);
  }
}

/** Opens the index; where there can be none (an older Node, a disk that refuses), each search reads the logs. */
async function openSearch(): Promise<SessionSearch> {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    return createSearchIndex(places, places.index, (path) => new DatabaseSync(path));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const note = `Each search reads all sessions, because there is no search index here: ${why}`;
    return createPlainScan(places, note);
  }
}
