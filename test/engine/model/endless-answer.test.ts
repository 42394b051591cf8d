import { expect, test } from 'vitest';
import { createEndpointClient } from '../../../src/main/engine/model/endpoint-client';
import type { RawEvent } from '../../../src/main/engine/model/server-sent-events';
import { IDLE, reduceStream } from '../../../src/main/engine/model/stream-reducer';
import { countSteps } from '../../support/count-steps';
import { ask, collect, fakeClock } from './fakes';

const raw = (data: unknown): RawEvent => ({ data: JSON.stringify(data) });

const START = raw({
  type: 'message_start',
  message: { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 0 } },
});
const open = (index: number) =>
  raw({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
const kindless = (index: number) => raw({ type: 'content_block_start', index, content_block: {} });
const stop = (index: number) => raw({ type: 'content_block_stop', index });
const piece = (delta: unknown) => raw({ type: 'content_block_delta', index: 0, delta });

/** The reads of an answer that has no end of its own; the test ends it if nobody else does. */
async function* reads(
  next: (read: number) => readonly RawEvent[],
): AsyncGenerator<readonly RawEvent[]> {
  yield [START, open(0)];
  for (let read = 1; read < 20_000; read += 1) yield next(read);
}

const LONG = 'x'.repeat(10_000);

/** Reads an answer to where it is cut as too large, and gives the number of reads that took. */
async function takenOf(next: (read: number) => readonly RawEvent[]): Promise<number> {
  let taken = 0;
  const client = createEndpointClient({
    transport: {
      send: async () => ({
        status: 200,
        events: reads((read) => {
          taken = read;
          return next(read);
        }),
      }),
    },
    host: 'api.example.com',
    compaction: false,
    clearing: false,
    secrets: [],
    missing: null,
    dropStaleThinking: false,
    diagnoseCache: false,
    taskBudget: false,
    modelId: (model) => model,
    clock: fakeClock(),
    price: () => 0,
  });
  const last = (await collect(client, ask('go'))).at(-1);
  expect(last).toMatchObject({ type: 'failed', error: { retryable: false } });
  expect(last).toHaveProperty('error.message', expect.stringContaining('beyond any size'));
  return taken;
}

test.each<[string, (read: number) => readonly RawEvent[]]>([
  ['text', () => [piece({ type: 'text_delta', text: LONG })]],
  ['blocks', (read) => [open(read), stop(read)]],
  ['blocks without a kind', (read) => [kindless(read), stop(read)]],
])('an answer of endless %s is cut, and told as too large', async (_, next) => {
  expect(await takenOf(next)).toBeLessThan(3_000);
});

test('blocks that stay open are cut before each piece of them costs a look at a thousand', async () => {
  expect(await takenOf((read) => [open(read)])).toBeLessThan(200);
});

test.each<[string, Record<string, unknown>, (i: number) => unknown]>([
  ['citations', { type: 'text', text: '' }, (i) => ({ type: 'citations_delta', citation: { i } })],
  ['fields of a kind nobody knows', { type: 'later' }, (i) => ({ type: 'later', [`f${i}`]: i })],
])('%s cost as much as there are: what came is not copied with each', async (_, block, delta) => {
  const index = 0;
  let state = IDLE;
  const take = (event: unknown) => {
    const step = reduceStream(state, event, { messageId: 'm', model: 'x' });
    state = step.state;
    return step.events;
  };
  take(JSON.parse(START.data));
  take({ type: 'content_block_start', index, content_block: block });
  const steps = await countSteps(() => {
    for (let i = 0; i < 3_000; i += 1)
      take({ type: 'content_block_delta', index, delta: delta(i) });
  });
  expect(steps).toBeLessThan(30_000);
  expect(state.open.get(index)?.raw).toBe(block);
  const [finished] = take({ type: 'content_block_stop', index });
  expect(JSON.stringify(finished)).toContain('2999');
});
