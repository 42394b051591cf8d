import {
  createModelClient,
  type ModelClientOptions,
} from '../../../src/main/engine/model/create-client';
import type {
  ModelClient,
  ModelEvent,
  ModelRequest,
} from '../../../src/main/engine/model/model-client';
import type { Clock } from '../../../src/main/engine/ports';
import { createHttpFetch } from '../../../src/main/node/fast/http-fetch';

/** A clock that only moves when somebody sleeps; `slept` lists the waits. */
export interface FakeClock extends Clock {
  readonly slept: readonly number[];
  /** Called at the start of each sleep. */
  onSleep: (ms: number) => void;
}

export function fakeClock(start = 1_000_000): FakeClock {
  let now = start;
  const slept: number[] = [];
  const clock: FakeClock = {
    slept,
    onSleep: () => {},
    now: () => now,
    date: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      clock.onSleep(ms);
      now += ms;
    },
  };
  return clock;
}

/** A request with one prompt. */
export const ask = (prompt: string, rest: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-opus-5-5',
  maxTokens: 1000,
  system: [{ type: 'text', text: 'You are a test.' }],
  messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
  tools: [],
  ...rest,
});

/** All events of a request. */
export async function collect(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, signal)) events.push(event);
  return events;
}

export const typesOf = (events: readonly ModelEvent[]): string[] => events.map((e) => e.type);

/** The whole client against a server, without jitter. */
export const clientFor = (url: string, rest: Partial<ModelClientOptions> = {}): ModelClient =>
  createModelClient({
    apiKey: 'sk-ant-test-key-000000',
    baseUrl: url,
    clock: fakeClock(),
    random: () => 0,
    price: () => 0,
    idleMs: 0,
    fetch: createHttpFetch(),
    ...rest,
  });
