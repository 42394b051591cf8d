import type { ModelClient, ModelEvent, ModelRequest } from '../model/model-client';
import {
  type CacheBreak,
  describeCacheBreak,
  type Fingerprint,
  findCacheBreak,
  fingerprint,
  type KnownHashes,
} from './cache-break';
import type { NamedText } from './section';

export interface CacheWatchOptions {
  /** What the system prompt of the request just built was joined from. */
  readonly sections: () => readonly NamedText[];
  /** Takes one line that says what changed, for a person who wants to know where money went. */
  readonly tell: (line: string) => void;
}

/** Compares each request with the one before and tells what broke the prompt cache (SPEC B3). */
export function withCacheWatch(inner: ModelClient, options: CacheWatchOptions): ModelClient {
  const known: KnownHashes = new WeakMap();
  let before: Fingerprint | null = null;
  return {
    stream: (request, signal) => {
      const now = fingerprint(request, options.sections(), known);
      const found = before === null ? null : findCacheBreak(before, now);
      before = now;
      return watch(inner, request, found, options.tell, signal);
    },
  };
}

async function* watch(
  inner: ModelClient,
  request: ModelRequest,
  found: CacheBreak | null,
  tell: (line: string) => void,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for await (const event of inner.stream(request, signal)) {
    yield event;
    if (event.type !== 'message_finished') continue;
    const line = describeCacheBreak(found, event.cacheMissReason);
    if (line !== null && isNews(found, event.cacheMissReason)) tell(line);
  }
}

/**
 * A switched model and a summarised history are changes that the person saw; they are told only when the API
 * itself reports a miss.
 */
const isNews = (found: CacheBreak | null, missReason: string | undefined): boolean =>
  missReason !== undefined || found?.where === 'tool' || found?.where === 'section';
