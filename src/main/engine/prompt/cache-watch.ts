import type { ModelClient } from '../model/model-client';
import { through } from '../model/through';
import {
  type CacheBreak,
  type CachedPrompt,
  describeCacheBreak,
  findCacheBreak,
} from './cache-break';
import type { NamedText } from './section';

export interface CacheWatchOptions {
  /** What the system prompt of the request just built was joined from. */
  readonly sections: () => readonly NamedText[];
  /** Takes one line that says what changed, for a person who wants to know where money went. */
  readonly tell: (line: string) => void;
}

/** Compares each request with the one before and tells what broke the prompt cache (docs/spec.md B3). */
export function withCacheWatch(inner: ModelClient, options: CacheWatchOptions): ModelClient {
  let before: CachedPrompt | null = null;
  return {
    stream: (request, signal) => {
      const now = { request, sections: options.sections() };
      const found = before === null ? null : findCacheBreak(before, now);
      before = now;
      return through(inner.stream(request, signal), (event) => {
        const line =
          event.type === 'message_finished' && isNews(found, event.cacheMissReason)
            ? describeCacheBreak(found, event.cacheMissReason)
            : null;
        if (line !== null) options.tell(line);
        return event;
      });
    },
  };
}

/**
 * A switched model and a summarised history are changes that the person saw; they are told only when the API
 * itself reports a miss.
 */
const isNews = (found: CacheBreak | null, missReason: string | undefined): boolean =>
  missReason !== undefined || found?.where === 'tool' || found?.where === 'section';
