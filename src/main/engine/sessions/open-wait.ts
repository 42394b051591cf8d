import type { DurableEvent } from '../../../shared/agent-event';
import type { LongWait } from '../loop/query-deps';
import { MAX_WAIT_MS } from '../model/errors';

/** Long after a wait was over, a user may want something else. Milliseconds. */
const MAX_LATE_MS = 24 * 3_600_000;

/** Events that may stand behind a wait that was cut: they say nothing of the work going on. */
const PASSING: ReadonlySet<string> = new Set([
  'notice',
  'side_call',
  'title_changed',
  'color_changed',
  'mode_changed',
  'limits_changed',
  'hook_settled',
  'queue_changed',
]);

/**
 * Returns what the work waited for when Lathe ended; null when it did not wait, or went on since, a user stopped it, or the
 * wait was over long before `now` (epoch milliseconds). `events`: the last of a log. Pure.
 */
export function openWait(events: readonly DurableEvent[], now?: number): LongWait | null {
  for (const event of events.toReversed()) {
    if (event.type === 'long_wait') {
      const { until, reason } = event;
      if (now === undefined) return { until, reason };
      // What would be longer than any wait was written down by a date that was wrong: it is tried at once.
      if (until - now > MAX_WAIT_MS) return { until: now, reason };
      return now - until > MAX_LATE_MS ? null : { until, reason };
    }
    const isCut = event.type === 'query_finished' && event.cut === true;
    if (!isCut && !PASSING.has(event.type)) return null;
  }
  return null;
}
