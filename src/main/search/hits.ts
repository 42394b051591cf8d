import {
  HITS_PER_SESSION,
  MAX_HIT_SESSIONS,
  type SearchAnswer,
  type SearchHit,
} from '../../shared/session-search';
import type { SessionFacts, TimedEntry } from './log-files';
import { snippetOf, type Term } from './words';

/** A search in logs. */
export interface SessionSearch {
  /**
   * Searches, with answers that grow while logs are read; pauses often enough to be cancelled. `ownOnly`: not in the logs of
   * other agents, of which nothing is kept either.
   */
  search(terms: readonly Term[], ownOnly?: boolean): AsyncGenerator<SearchAnswer, void>;
  close(): void;
}

/** Takes findings, newest first, until there are enough of them. */
export interface HitCollector<T> {
  /** Returns false when no more are wanted. */
  add(session: string | number, finding: T): boolean;
  readonly taken: readonly T[];
  readonly more: boolean;
}

/** Creates a collector of the newest findings of the sessions that have the newest ones. */
export function createHitCollector<T>(): HitCollector<T> {
  const counts = new Map<string | number, number>();
  const taken: T[] = [];
  let more = false;
  return {
    taken,
    get more() {
      return more;
    },
    add: (session, finding) => {
      const count = counts.get(session) ?? 0;
      if (count === 0 && counts.size === MAX_HIT_SESSIONS) {
        more = true;
        return false;
      }
      if (count === HITS_PER_SESSION) return true;
      counts.set(session, count + 1);
      taken.push(finding);
      return true;
    },
  };
}

/** Makes a hit of what was found. */
export const hitOf = (
  sessionId: string,
  { project, title }: SessionFacts,
  { at, who, itemId, text }: TimedEntry,
  terms: readonly Term[],
  other?: SearchHit['other'],
): SearchHit => ({
  sessionId,
  project: project ?? '',
  title,
  at,
  who,
  itemId,
  snippet: snippetOf(who === 'assistant' ? withoutMarks(text) : text, terms),
  ...(other === undefined ? {} : { other }),
});

/** Returns prose of the model without the signs that only mark words or begin headings. */
const withoutMarks = (text: string): string =>
  text.replace(/\*\*(\S[^*\n]*)\*\*|`([^`\n]+)`/g, '$1$2').replace(/^#{1,6} /gm, '');

/** Answers are told this far apart while logs are read. Milliseconds. */
export const ANSWER_MS = 400;

/** Lets messages from the main thread in. */
export const breathe = (): Promise<void> => new Promise((resume) => setImmediate(resume));
