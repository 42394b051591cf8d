import { afterEach, expect, it } from 'vitest';
import { price } from '../../../src/main/engine/cost/price';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { error, reply, stall, truncated } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const usage = {
  input_tokens: 1000,
  output_tokens: 40,
  cache_read_input_tokens: 500,
  cache_creation_input_tokens: 200,
};
const MODEL = 'claude-sonnet-5-5';
const whole = { inputTokens: 1000, outputTokens: 40, cacheReadTokens: 500, cacheWriteTokens: 200 };
/** What `message_start` says of an answer that goes no further. */
const begun = { ...whole, outputTokens: 1 };
const sumOf = (events: readonly AgentEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'query_finished' ? last.costUsd : Number.NaN;
};

it('cancelled, retried and finished requests each cost once, in all, per model and per query', async () => {
  open = await openTestSession([
    error(529),
    truncated(reply('cut in the middle of this text', { usage }), 4),
    reply('whole', { usage }),
    stall(reply('never finished', { usage }), 4),
  ]);
  const { session, clock } = open;
  const first: AgentEvent[] = [];
  for await (const { event } of session.main.engine.submit('one')) {
    first.push(event);
    if (event.type !== 'retry_waiting') continue;
    while (clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(event.delayMs);
  }
  const second: AgentEvent[] = [];
  for await (const { event } of session.main.engine.submit('two')) {
    second.push(event);
    if (event.type === 'block_delta') session.main.engine.interrupt();
  }

  const { costs, query } = session.log.transcript();
  const cost = (...parts: (typeof whole)[]) => parts.reduce((sum, u) => sum + price(u, MODEL), 0);
  expect(costs.total.requests).toBe(3);
  expect(costs.total.costUsd).toBeCloseTo(cost(begun, whole, begun), 12);
  expect(costs.byModel[MODEL]?.usage.cacheReadTokens).toBe(1500);
  expect(query?.spend.costUsd).toBeCloseTo(cost(begun), 12);
  expect(sumOf(first)).toBeCloseTo(cost(begun, whole), 12);
  expect(sumOf(second)).toBeCloseTo(cost(begun), 12);
});
