import { expect, it } from 'vitest';
import { withFirstRequest } from '../../src/main/app/headless-model';
import type {
  ModelClient,
  ModelEvent,
  ModelRequest,
} from '../../src/main/engine/model/model-client';
import { memoryClock } from '../support/memory-clock';

const { signal } = new AbortController();

/** A client whose answer begins when it is let go. */
function start() {
  const gate = Promise.withResolvers<void>();
  const client: ModelClient = {
    stream: async function* () {
      await gate.promise;
      yield { type: 'message_voided' } as never;
    },
  };
  const clock = memoryClock(0);
  const { model, sent } = withFirstRequest(client, clock);
  let isSent = false;
  sent.then(() => {
    isSent = true;
  });
  const ask = async () => {
    for await (const _ of model.stream({} as ModelRequest, signal));
  };
  return { ask, gate, clock, isSent: () => isSent };
}

it('is not sent before somebody asks, and is when the answer begins', async () => {
  const { ask, gate, clock, isSent } = start();
  clock.advance(10_000);
  await Promise.resolve();
  expect(isSent()).toBe(false);
  const asked = ask();
  await Promise.resolve();
  expect(isSent()).toBe(false);
  gate.resolve();
  await asked;
  expect(isSent()).toBe(true);
});

it('counts as sent after a while, however long the answer takes', async () => {
  const { ask, gate, clock, isSent } = start();
  const asked = ask();
  clock.advance(100);
  await expect.poll(isSent).toBe(true);
  gate.resolve();
  await asked;
});

it('leaves the streams of later requests as they are', async () => {
  const streams: AsyncIterable<ModelEvent>[] = [];
  const client: ModelClient = {
    stream: () => {
      const events = (async function* (): AsyncGenerator<ModelEvent> {
        yield { type: 'message_voided' } as never;
      })();
      streams.push(events);
      return events;
    },
  };
  const { model } = withFirstRequest(client, memoryClock(0));
  for await (const _ of model.stream({} as ModelRequest, signal));
  expect(model.stream({} as ModelRequest, signal)).toBe(streams[1]);
});
