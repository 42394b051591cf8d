import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ModelClient, ModelEvent } from '../../../src/main/engine/model/model-client';
import { withRetry } from '../../../src/main/engine/model/retry';
import { withWatchdog } from '../../../src/main/engine/model/watchdog';
import { createNodeClock } from '../../../src/main/node/system';
import { NO_USAGE } from '../../../src/shared/facts';
import { ask, collect } from './fakes';

const HOUR = 3_600_000;
const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The system's clock, and a sleep of the system: the wall clock goes on, timers stand still. */
function laptop() {
  let slept = 0;
  const wall = () => Date.now() + slept;
  const clock = createNodeClock(wall, () => Date.now());
  let waiting = 0;
  return {
    clock: {
      ...clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        waiting += 1;
        await clock.sleep(ms, signal);
        waiting -= 1;
      },
    },
    /** The waits that go on. Timers that other files of this worker left behind count among those of Vitest. */
    waiting: () => waiting,
    sleepFor: (ms: number) => {
      slept += ms;
    },
  };
}

const answered: readonly ModelEvent[] = [
  { type: 'message_started', messageId: 'msg', model: 'm' },
  { type: 'block_finished', index: 0, block: { type: 'text', text: 'Awake.' } },
  { type: 'message_finished', stopReason: 'end_turn', usage: NO_USAGE, costUsd: 0 },
];
const limited: ModelEvent = {
  type: 'failed',
  error: {
    ...{ kind: 'rate_limit', status: 429, message: 'limited', retryable: true },
    retryAfterMs: 2 * HOUR,
  },
};

test.each([
  ['with a user', false],
  ['unattended', true],
])(
  'a wait of two hours that the computer sleeps through for eight is over at once, with one request (%s)',
  async (_, unattended) => {
    const { clock, sleepFor, waiting } = laptop();
    let requests = 0;
    const inner: ModelClient = {
      async *stream() {
        requests += 1;
        yield* requests === 1 ? [limited] : answered;
      },
    };
    const client = withRetry(inner, { clock, random: () => 0, unattended });
    const told = collect(client, ask('count'), never);
    await vi.advanceTimersByTimeAsync(60_000);
    const heartbeats = unattended ? 2 : 0;
    sleepFor(8 * HOUR);
    expect(requests).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(requests).toBe(2);
    const types = (await told).map(({ type }) => type);
    expect(types).toEqual([
      ...Array(1 + heartbeats).fill('retry_waiting'),
      'retry_ended',
      ...answered.map(({ type }) => type),
    ]);
    expect(waiting()).toBe(0);
  },
);

test('a stream that the computer sleeps through is given up soon after it wakes, and asked for again once', async () => {
  const { clock, sleepFor, waiting } = laptop();
  let requests = 0;
  const inner: ModelClient = {
    async *stream(_, signal) {
      requests += 1;
      if (requests > 1) return yield* answered;
      yield { type: 'message_started', messageId: 'half', model: 'm' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      yield { type: 'failed', error: { kind: 'aborted', message: 'cut', retryable: false } };
    },
  };
  const client = withRetry(withWatchdog(inner, { clock }), { clock, random: () => 0 });
  const told = collect(client, ask('count'), never);
  await vi.advanceTimersByTimeAsync(5_000);
  sleepFor(8 * HOUR);
  // A look at the clock, and the pause before the next try.
  await vi.advanceTimersByTimeAsync(11_000);
  expect(requests).toBe(2);
  const types = (await told).map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(['message_started', 'message_voided']);
  expect(types.slice(-3)).toEqual(answered.map(({ type }) => type));
  expect(waiting()).toBe(0);
});
