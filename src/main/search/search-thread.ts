import { Worker } from 'node:worker_threads';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type {
  CopiedSession,
  OtherContents,
  OtherCopyRequest,
  OtherLogName,
  OtherPage,
  OtherPageRequest,
  SearchAnswer,
} from '../../shared/session-search';
import { createWaker } from '../../shared/waker';
import type { LogFolders } from './log-files';

/** The folders and files a search thread works with. Absolute. */
export interface SearchPlaces extends LogFolders {
  /** The file of the index, in a folder of its own. */
  readonly index: string;
}

/** A message to the thread. */
export type SearchRequest =
  | {
      readonly kind: 'search';
      readonly id: number;
      readonly text: string;
      readonly ownOnly: boolean;
    }
  | { readonly kind: 'cancel'; readonly id: number };

/** A message from the thread; the last one about a search is `done` or `failed`. */
export type SearchReply =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: SearchAnswer }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly why: string };

/** Searches all sessions of this machine. */
export interface SessionSearches {
  /** Gives what was found so far, until all logs were searched, the signal aborts, or it fails. */
  search(text: string, signal: AbortSignal): AsyncGenerator<Result<SearchAnswer>, void>;
  close(): Promise<void>;
}

/** The logs of other agents on this machine, which are only read. */
export interface OtherLogs {
  page(request: OtherPageRequest): Promise<Result<OtherPage>>;
  contents(log: OtherLogName): Promise<Result<OtherContents>>;
  /** Makes a session of Lathe's of one of them. */
  copy(request: OtherCopyRequest): Promise<Result<CopiedSession>>;
}

/** Searches that lead into other agents' logs too. */
export interface LogSearches extends SessionSearches {
  readonly others: OtherLogs;
}

/** A thread without work ends after this time. Milliseconds. */
const IDLE_MS = 60_000;

/**
 * Creates searches in a thread of their own, which starts with the first one. `script` is the built `search-worker`;
 * `ownOnly` is asked before each: not in the logs of other agents.
 */
export function createSearchThread(
  script: string,
  places: SearchPlaces,
  ownOnly: () => boolean = () => false,
): SessionSearches {
  const waiting = new Map<number, (reply: SearchReply) => void>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | null = null;
  let lastId = 0;

  const start = (): Worker => {
    const started = new Worker(script, {
      workerData: places,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const lost = (why: string) => {
      if (worker !== started) return;
      worker = null;
      for (const [id, tell] of [...waiting]) tell({ kind: 'failed', id, why });
    };
    started.on('message', (reply: SearchReply) => waiting.get(reply.id)?.(reply));
    started.on('error', (error) => lost(error.message));
    started.on('exit', () => lost('the search ended without an answer'));
    return started;
  };
  const stop = async () => {
    const ending = worker;
    worker = null;
    await ending?.terminate();
  };
  const rest = () => {
    if (waiting.size > 0) return;
    worker?.unref();
    idle = setTimeout(() => void stop(), IDLE_MS).unref();
  };

  return {
    search: async function* (text, signal) {
      if (signal.aborted) return;
      if (idle !== null) clearTimeout(idle);
      lastId += 1;
      const id = lastId;
      const waker = createWaker(signal);
      let latest: SearchAnswer | null = null;
      let ended: Result<null, Fault> | null = null;
      waiting.set(id, (reply) => {
        if (reply.kind === 'answer') latest = reply.answer;
        else ended = reply.kind === 'done' ? ok(null) : err(searchFault(reply.why));
        waker.wake();
      });
      const post = (request: SearchRequest) => {
        worker ??= start();
        // A command line has nothing else that keeps it waiting for an answer.
        worker.ref();
        worker.postMessage(request);
      };
      try {
        post({ kind: 'search', id, text, ownOnly: ownOnly() });
        while (await waker.wait()) {
          const [answer, end] = [taken(() => latest), taken(() => ended)];
          latest = null;
          if (answer !== null) yield ok(answer);
          if (end?.ok === false) yield end;
          if (end !== null) return;
        }
      } finally {
        waiting.delete(id);
        waker.close();
        if (taken(() => ended) === null && worker !== null) post({ kind: 'cancel', id });
        rest();
      }
    },
    close: stop,
  };
}

/** Reads a variable that callbacks set: the compiler does not see that they do. */
const taken = <T>(read: () => T): T => read();

const searchFault = (why: string): Fault =>
  fault('search_failed', `The sessions cannot be searched: ${why}`, 'Try again.');
