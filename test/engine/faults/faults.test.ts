import { describe, expect, it } from 'vitest';
import { type Played, play, type Row } from './play';
import { LOOP_ROWS } from './rows-loop';
import { STATUS_ROWS } from './rows-status';
import { STREAM_ROWS } from './rows-stream';

const ROWS: readonly Row[] = [...STATUS_ROWS, ...STREAM_ROWS, ...LOOP_ROWS];

/** Longest that a person waits for a silent line, and for one that only pings. The bounds, milliseconds. */
const SILENT_BOUND_MS = 45_000;
const PINGING_BOUND_MS = 200_000;

/** Ids of the calls that ran or were refused, each as often as it was. */
const settledCalls = ({ events }: Played): readonly string[] =>
  events.flatMap((e) => (e.type === 'call_settled' ? [e.callId] : []));

describe('every fault is met', () => {
  it.each(ROWS.map((row) => [row.name, row] as const))('%s', async (name, row) => {
    const played = await play(row);
    const { steps, asked, delays, ran } = played;
    expect({ steps, asked, delays, ran }).toEqual({
      steps: row.steps,
      asked: row.asked,
      delays: row.delays ?? [],
      ran: row.ran ?? [],
    });
    expect(played.requests.map((r) => r.body.max_tokens)).toEqual(
      row.maxTokens ?? played.requests.map(() => 8192),
    );
    expect(played.refused.join()).toMatch(row.refused ?? /^$/);

    const calls = settledCalls(played);
    expect(new Set(calls).size, 'a call was settled twice').toBe(calls.length);
    expect(played.refusals, 'the API would refuse a body').toEqual([]);
    expect(played.after, 'the history is no longer valid').toBe('still there');

    if (row.line.source === '^$') expect(played.lines).toEqual([]);
    else expect(played.lines.join('\n')).toMatch(row.line);
    for (const line of played.lines) expect(line).not.toMatch(/\n|test-key|undefined|\[object/);

    if (row.drive) {
      const bound = name.includes('pings') ? PINGING_BOUND_MS : SILENT_BOUND_MS;
      expect(played.tookMs).toBeLessThanOrEqual(bound);
    }
  });
});
