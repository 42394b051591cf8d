import { expect, test } from 'vitest';
import { openWait } from '../../../src/main/engine/sessions/open-wait';
import type { DurableEvent } from '../../../src/shared/agent-event';
import { NO_USAGE } from '../../../src/shared/facts';

const HOUR = 3_600_000;
const wait: DurableEvent = { type: 'long_wait', until: 5 * HOUR, reason: 'Too many requests' };
const started: DurableEvent = { type: 'query_started', queryId: 'q' };
const titled: DurableEvent = { type: 'title_changed', title: 'Work' };
const retried: DurableEvent = { type: 'retried', reason: 'Too many requests', attempt: 2 };
const ended: DurableEvent = {
  ...{ type: 'query_finished', queryId: 'q', terminal: 'aborted_streaming', text: '', turns: 1 },
  ...{ usage: NO_USAGE, costUsd: 0, durationMs: 0, apiMs: 0, denials: [], stopReason: null },
};
const cut: DurableEvent = { ...ended, cut: true };

test.each<[string, readonly DurableEvent[], number | null]>([
  ['nothing', [], null],
  ['work that was killed while it waited', [started, wait], 5 * HOUR],
  ['work that Lathe ended while it waited', [started, wait, titled, cut], 5 * HOUR],
  ['a wait that was cut twice', [started, wait, cut, started, { ...wait, until: 9 }, cut], 9],
  ['a wait that a user stopped', [started, wait, ended], null],
  ['a wait after which the work went on', [started, wait, retried], null],
  ['work that was cut without a wait', [started, cut], null],
  ['words of a user after it', [started, wait, cut, started], null],
])('of %s: %j → %s', (_, events, until) => expect(openWait(events)?.until ?? null).toBe(until));

test('a wait longer than any, by a date that was wrong, is over at once', () => {
  expect(openWait([started, wait], -19 * HOUR)?.until).toBe(5 * HOUR);
  expect(openWait([started, wait], -20 * HOUR)?.until).toBe(-20 * HOUR);
});

test('a wait that was over a day ago is not taken up', () => {
  expect(openWait([started, wait], 28 * HOUR)).not.toBeNull();
  expect(openWait([started, wait], 30 * HOUR)).toBeNull();
});
