import type { Clock } from '../ports';
import type { Attachment, CollectContext, CollectedFact, Collector } from './attachment';

/** Time a collector has (docs/spec.md B6). Milliseconds. */
export const COLLECTOR_LIMIT_MS = 1000;

/** A collector whose facts are missing this time, and why, for a user. */
export interface Missed {
  readonly name: string;
  readonly why: string;
}

interface Collected {
  readonly attachments: readonly Attachment[];
  readonly missed: readonly Missed[];
}

/** The collectors of one session. */
export interface Collection {
  /**
   * Runs all collectors at the same time and gives what they found in the order of the collectors. One that
   * fails or takes longer than {@link COLLECTOR_LIMIT_MS} is left out. Never rejects; nothing after an abort.
   */
  collect(context: CollectContext, signal: AbortSignal): Promise<Collected>;
}

/** Creates the collection. A collector that still hangs since the last time is not started once more. */
export function createCollection(collectors: readonly Collector[], clock: Clock): Collection {
  const running = new Set<Collector>();

  /** Most have their answer at hand. */
  const ask = (
    collector: Collector,
    context: CollectContext,
    stop: AbortSignal,
  ): Outcome | Promise<Outcome> => {
    if (running.has(collector)) return 'late';
    try {
      const found = collector.collect(context, stop);
      return found instanceof Promise ? outcomeOf(collector, found) : found;
    } catch (thrown) {
      return errorOf(thrown);
    }
  };
  const outcomeOf = async (
    collector: Collector,
    found: Promise<readonly CollectedFact[]>,
  ): Promise<Outcome> => {
    running.add(collector);
    try {
      return await found;
    } catch (thrown) {
      return errorOf(thrown);
    } finally {
      running.delete(collector);
    }
  };

  return {
    collect: async (context, signal) => {
      if (signal.aborted) return NOTHING;
      const done = new AbortController();
      const stop = () => done.abort(OVER);
      signal.addEventListener('abort', stop, { once: true });
      const asked = collectors.map((collector) => ask(collector, context, done.signal));
      const settled = asked.map((outcome) => (outcome instanceof Promise ? 'late' : outcome));
      const open = asked.flatMap((outcome, i) =>
        outcome instanceof Promise
          ? outcome.then((late) => {
              settled[i] = late;
            })
          : [],
      );
      if (open.length > 0) {
        const late = clock.sleep(COLLECTOR_LIMIT_MS, done.signal);
        await Promise.race([Promise.all(open), late]);
      }
      signal.removeEventListener('abort', stop);
      done.abort(OVER);
      if (signal.aborted) return NOTHING;
      return {
        attachments: settled.flatMap((found) => (Array.isArray(found) ? accepted(found) : [])),
        missed: settled.flatMap((outcome, i) => missedOf(outcome, collectors[i])),
      };
    },
  };
}

/** Nobody reads why; a reason that is at hand saves making an error, with its stack, for every turn. */
const OVER = 'collected';

const NOTHING: Collected = { attachments: [], missed: [] };

type Outcome = readonly CollectedFact[] | Error | 'late';

const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

const accepted = (facts: readonly CollectedFact[]): readonly Attachment[] =>
  facts.flatMap((fact) => {
    fact.accept?.();
    return fact.attachment === null ? [] : [fact.attachment];
  });

function missedOf(outcome: Outcome, collector: Collector | undefined): readonly Missed[] {
  if (collector === undefined || Array.isArray(outcome)) return [];
  const why = outcome instanceof Error ? outcome.message : 'it took longer than a second';
  return [{ name: collector.name, why }];
}
