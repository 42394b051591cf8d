import { describe, expect, it } from 'vitest';
import { type Printed, printed } from './headless';
import { type Played, play, type Row } from './play';
import { LOOP_ROWS } from './rows-loop';
import { STATUS_ROWS } from './rows-status';
import { STREAM_ROWS } from './rows-stream';
import { WIRE_ROWS } from './rows-wire';

const ROWS: readonly Row[] = [...STATUS_ROWS, ...STREAM_ROWS, ...WIRE_ROWS, ...LOOP_ROWS];

/** Longest that a user waits for a silent line: the bound, milliseconds. */
const SILENT_BOUND_MS = 45_000;

/** Ids of the calls that ran or were refused, each as often as it was. */
const settledCalls = ({ events }: Played): readonly string[] =>
  events.flatMap((e) => (e.type === 'call_settled' ? [e.callId] : []));

/** No request is paid for twice, and what a query says of its cost is the sum of what the log says. */
function expectCounted({ events, requests }: Played, result: Record<string, unknown>): void {
  const paid = events.filter((e) => e.type === 'message_finished' || e.type === 'side_call');
  expect(paid.length).toBeLessThanOrEqual(requests.length);
  const finished = paid.flatMap((e) => (e.type === 'message_finished' ? [e.messageId] : []));
  expect(new Set(finished).size, 'an answer was counted twice').toBe(finished.length);
  const sum = (of: (e: (typeof paid)[number]) => number) => paid.reduce((n, e) => n + of(e), 0);
  const costUsd = sum((e) => e.costUsd);
  const outputTokens = sum((e) => e.usage.outputTokens);
  const end = events.at(-1);
  expect(end).toMatchObject({ usage: { outputTokens } });
  expect(end?.type === 'query_finished' ? end.costUsd : null).toBeCloseTo(costUsd, 12);
  const models = Object.values(result['modelUsage'] as Record<string, Record<string, number>>);
  expect(result['total_cost_usd']).toBeCloseTo(costUsd, 12);
  expect(models.reduce((n, m) => n + (m['costUSD'] ?? 0), 0)).toBeCloseTo(costUsd, 12);
  expect(models.reduce((n, m) => n + (m['outputTokens'] ?? 0), 0)).toBe(outputTokens);
  expect(result['usage']).toMatchObject({ output_tokens: outputTokens });
}

/** The lines of NDJSON output. */
const linesOf = ({ stdout }: Printed): Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A run without a window tells the same: its exit code, and the line where scripts look for it. */
async function expectHeadless(played: Played): Promise<void> {
  const { events, stamped } = played;
  const end = events.at(-1);
  if (end?.type !== 'query_finished') throw new Error('The query has no end.');
  const good = end.terminal === 'completed';
  const code = good ? 0 : 1;
  const text = await printed('text', stamped);
  // A failure of the API stands where the answer would.
  const isTold = good || end.failure !== undefined;
  expect(text).toMatchObject({ code, stdout: isTold ? `${end.text}\n` : '' });
  for (const line of text.complaints) expect(line).toMatch(/^\S[^\n]*$/);
  const told = text.complaints.filter((line) => line === end.text);
  expect(told).toHaveLength(isTold ? 0 : 1);

  const result = {
    type: 'result',
    subtype: isTold ? 'success' : 'error_during_execution',
    is_error: !good,
    result: end.text,
  };
  const json = await printed('json', stamped);
  expect({ code: json.code, lines: linesOf(json) }).toMatchObject({ code, lines: [result] });
  const stream = await printed('stream-json', stamped);
  expect(stream.code).toBe(code);
  const lines = linesOf(stream);
  expect(lines.at(-1)).toMatchObject(result);
  expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
  expectPaired(lines);
  expectCounted(played, lines.at(-1) ?? {});
}

/** Each call that is shown has one result, after it. */
function expectPaired(lines: readonly Record<string, unknown>[]): void {
  const ids = (type: string, kind: string, key: string) =>
    lines.flatMap(({ type: line, message }) =>
      line === type
        ? (message as { content: Record<string, unknown>[] }).content
            .filter((block) => block['type'] === kind)
            .map((block) => block[key])
        : [],
    );
  expect(ids('user', 'tool_result', 'tool_use_id')).toEqual(ids('assistant', 'tool_use', 'id'));
}

describe('every fault is met', () => {
  it.each(ROWS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
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
    const end = played.events.at(-1);
    if (row.words !== undefined) expect(end).toHaveProperty('text', row.words);
    if (row.paid) expect(end?.type === 'query_finished' ? end.costUsd : 0).toBeGreaterThan(0);
    await expectHeadless(played);
    row.check?.();

    if (row.drive) expect(played.tookMs).toBeLessThanOrEqual(row.withinMs ?? SILENT_BOUND_MS);
  });
});
