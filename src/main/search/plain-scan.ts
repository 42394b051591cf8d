import { HITS_PER_SESSION, type SearchAnswer } from '../../shared/session-search';
import { ANSWER_MS, breathe, createHitCollector, hitOf, type SessionSearch } from './hits';
import {
  type LogFile,
  type LogFolders,
  listLogs,
  NO_FACTS,
  readParts,
  type SessionFacts,
  type TimedEntry,
} from './log-files';
import { hasTerms, type Term, wordsOf } from './words';

interface Found {
  readonly log: LogFile;
  readonly facts: SessionFacts;
  readonly entry: TimedEntry;
}

/** Creates a search that reads every log anew. `note` says why, for people. */
export function createPlainScan(folders: LogFolders, note: string | null): SessionSearch {
  return {
    search: async function* (terms, ownOnly = false) {
      const logs = listLogs(folders, ownOnly);
      let found: readonly Found[] = [];
      let told = performance.now();
      for (const [done, log] of logs.entries()) {
        const inLog: Found[] = [];
        let facts = NO_FACTS;
        for (const part of readParts(log, 0, NO_FACTS)) {
          await breathe();
          facts = part.facts;
          for (const entry of part.entries) {
            if (hasTerms(wordsOf(entry.text), terms)) inLog.push({ log, facts, entry });
          }
          inLog.splice(0, inLog.length - HITS_PER_SESSION);
        }
        found = [...found, ...inLog.map((one) => ({ ...one, facts }))];
        if (performance.now() - told < ANSWER_MS) continue;
        yield answer(found, terms, { done: done + 1, total: logs.length }, note);
        told = performance.now();
      }
      yield answer(found, terms, null, note);
    },
    close: () => {},
  };
}

function answer(
  found: readonly Found[],
  terms: readonly Term[],
  progress: SearchAnswer['progress'],
  note: string | null,
): SearchAnswer {
  const hits = createHitCollector<Found>();
  // Of the same millisecond, what was written later comes first.
  const newest = found.toReversed().toSorted((a, b) => b.entry.at - a.entry.at);
  newest.every((one) => hits.add(one.log.path, one));
  return {
    hits: hits.taken.map(({ log, facts, entry }) =>
      hitOf(log.sessionId, facts, entry, terms, log.other),
    ),
    more: hits.more,
    progress,
    note,
  };
}
