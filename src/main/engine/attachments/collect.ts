import type { Clock } from '../ports';
import type { Attachment, Collector, Finding, Moment } from './attachment';

/** How long a collector may take. SPEC B6, milliseconds. */
export const COLLECTOR_LIMIT_MS = 1000;

/** A collector whose findings are missing this time, and why, for a person. */
export interface Missed {
  readonly name: string;
  readonly why: string;
}

export interface Collected {
  readonly attachments: readonly Attachment[];
  readonly missed: readonly Missed[];
}

/** The collectors of one session. */
export interface Collection {
  /**
   * Runs all collectors at the same time and gives what they found in the order of the collectors. One that
   * fails or takes longer than {@link COLLECTOR_LIMIT_MS} is left out. Never rejects; nothing after an abort.
   */
  collect(moment: Moment, signal: AbortSignal): Promise<Collected>;
}

/** Creates the collection. A collector that still hangs since the last time is not started once more. */
export function createCollection(collectors: readonly Collector[], clock: Clock): Collection {
  const running = new Set<Collector>();

  const run = async (collector: Collector, moment: Moment, stop: AbortSignal): Promise<Outcome> => {
    if (running.has(collector)) return 'late';
    running.add(collector);
    const outcome = await outcomeOf(collector, moment, stop);
    running.delete(collector);
    return outcome;
  };

  return {
    collect: async (moment, signal) => {
      if (signal.aborted) return NOTHING;
      const done = new AbortController();
      const stop = () => done.abort(OVER);
      signal.addEventListener('abort', stop, { once: true });
      const late = clock.sleep(COLLECTOR_LIMIT_MS, done.signal);
      const settled: Outcome[] = collectors.map(() => 'late');
      const all = collectors.map(async (collector, i) => {
        settled[i] = await run(collector, moment, done.signal);
      });
      await Promise.race([Promise.all(all), late]);
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

type Outcome = readonly Finding[] | Error | 'late';

async function outcomeOf(
  collector: Collector,
  moment: Moment,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await collector.collect(moment, signal);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

const accepted = (findings: readonly Finding[]): readonly Attachment[] =>
  findings.flatMap((finding) => {
    finding.accept?.();
    return finding.attachment === null ? [] : [finding.attachment];
  });

function missedOf(outcome: Outcome, collector: Collector | undefined): readonly Missed[] {
  if (collector === undefined || Array.isArray(outcome)) return [];
  const why = outcome instanceof Error ? outcome.message : 'it took longer than a second';
  return [{ name: collector.name, why }];
}
