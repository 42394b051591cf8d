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

/**
 * Runs all collectors at the same time and gives what they found in the order of the collectors. One that
 * fails or takes longer than {@link COLLECTOR_LIMIT_MS} is left out. Never rejects; nothing after an abort.
 */
export async function collectAttachments(
  collectors: readonly Collector[],
  moment: Moment,
  clock: Clock,
  signal: AbortSignal,
): Promise<Collected> {
  if (signal.aborted) return NOTHING;
  const done = new AbortController();
  const stop = () => done.abort();
  signal.addEventListener('abort', stop, { once: true });
  const late = clock.sleep(COLLECTOR_LIMIT_MS, done.signal).then(() => 'late' as const);
  const outcomes = collectors.map((collector) => outcomeOf(collector, moment, done.signal));
  const settled = await Promise.all(outcomes.map((outcome) => Promise.race([outcome, late])));
  signal.removeEventListener('abort', stop);
  done.abort();
  if (signal.aborted) return NOTHING;
  return {
    attachments: settled.flatMap((outcome) => (Array.isArray(outcome) ? accepted(outcome) : [])),
    missed: settled.flatMap((outcome, i) => missedOf(outcome, collectors[i])),
  };
}

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
