import { expect, test } from 'vitest';
import { createEndpointClient } from '../../../src/main/engine/model/endpoint-client';
import type { RawEvent } from '../../../src/main/engine/model/server-sent-events';
import { ask, collect, fakeClock } from './fakes';

const raw = (data: unknown): RawEvent => ({ data: JSON.stringify(data) });

const START = raw({
  type: 'message_start',
  message: { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 0 } },
});
const open = (index: number) =>
  raw({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
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

test.each<[string, (read: number) => readonly RawEvent[]]>([
  ['text', () => [piece({ type: 'text_delta', text: LONG })]],
  ['blocks', (read) => [open(read), stop(read)]],
  ['blocks that stay open', (read) => [open(read)]],
])('an answer of endless %s is cut, and told as too large', async (_, next) => {
  let taken = 0;
  const client = createEndpointClient({
    transport: {
      send: async () => ({
        status: 200,
        content: {
          kind: 'events',
          events: reads((read) => {
            taken = read;
            return next(read);
          }),
        },
      }),
    },
    host: 'api.example.com',
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
  expect(taken).toBeLessThan(3_000);
});
