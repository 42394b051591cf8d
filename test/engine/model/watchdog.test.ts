import { describe, expect, it } from 'vitest';
import type { ModelClient, ModelEvent } from '../../../src/main/engine/model/model-client';
import { judgeSilence, withWatchdog } from '../../../src/main/engine/model/watchdog';
import { memoryClock } from '../../support/memory-clock';
import { ask } from './fakes';

const LIMITS = { idleMs: 30_000, pingsOnlyMs: 180_000 };

describe('a silence', () => {
  it.each([
    [0, 0, 'fine', 15_000],
    [14_000, 14_000, 'fine', 1000],
    [15_000, 15_000, 'warn', 15_000],
    [29_999, 29_999, 'warn', 1],
    [30_000, 30_000, 'stalled', 30_000],
    [5_000, 89_000, 'fine', 1000],
    [5_000, 90_000, 'warn', 25_000],
    [1_000, 180_000, 'stalled', 30_000],
  ])('of %d ms, %d ms without content, is %s', (anyMs, contentMs, state, nextMs) => {
    expect(judgeSilence({ anyMs, contentMs }, LIMITS)).toEqual({ state, nextMs });
  });
});

/** A model whose events are sent by hand. */
function byHand() {
  let push: (event: ModelEvent | null) => void = () => {};
  let next = new Promise<ModelEvent | null>((resolve) => {
    push = resolve;
  });
  const client: ModelClient = {
    async *stream(_, signal) {
      const stopped = new Promise<null>((resolve) =>
        signal.addEventListener('abort', () => resolve(null), { once: true }),
      );
      for (;;) {
        const event = await Promise.race([next, stopped]);
        if (event === null) break;
        next = new Promise((resolve) => {
          push = resolve;
        });
        yield event;
      }
      yield { type: 'failed', error: { kind: 'aborted', message: 'stopped', retryable: false } };
    },
  };
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  return {
    client,
    send: async (event: ModelEvent) => {
      push(event);
      await tick();
    },
  };
}

function watch(idleMs = 30_000, inOnePiece = false) {
  const clock = memoryClock();
  const hand = byHand();
  const events: ModelEvent[] = [];
  const abort = new AbortController();
  const request = ask('x', inOnePiece ? { stream: false } : {});
  const watched = withWatchdog(hand.client, { clock, idleMs });
  const done = (async () => {
    for await (const event of watched.stream(request, abort.signal)) events.push(event);
  })();
  return { clock, hand, events, abort, done };
}

const alive = (content: boolean): ModelEvent => ({ type: 'alive', content });

describe('the watchdog', () => {
  it('warns half-way, then ends the stream as stalled; signs of life put it off', async () => {
    const { clock, hand, events, done } = watch();
    await clock.advance(14_000);
    await hand.send(alive(false));
    await clock.advance(14_000);
    expect(events).toEqual([]);
    await clock.advance(2_000);
    expect(events).toEqual([{ type: 'stalled', silentMs: 16_000 }]);
    await clock.advance(14_000);
    await done;
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'stalled' } });
    expect(clock.sleepers()).toBe(0);
  });

  it('lets pings keep the line for 180 s and no longer, and content for ever', async () => {
    const { clock, hand, events, done, abort } = watch();
    for (let i = 0; i < 40; i += 1) {
      await clock.advance(10_000);
      await hand.send(alive(true));
    }
    expect(events).toEqual([]);
    for (let i = 0; i < 17; i += 1) {
      await clock.advance(10_000);
      await hand.send(alive(false));
    }
    expect(events).toEqual([{ type: 'stalled', silentMs: 90_000 }]);
    await clock.advance(10_000);
    await done;
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'stalled' } });
    abort.abort();
  });

  it('gives an answer in one piece four times as long', async () => {
    const { clock, events, done } = watch(30_000, true);
    await clock.advance(60_000);
    await clock.advance(59_999);
    expect(events).toEqual([{ type: 'stalled', silentMs: 60_000 }]);
    await clock.advance(1);
    await done;
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'stalled' } });
  });

  it('tells an abort as an abort and leaves nothing asleep', async () => {
    const { clock, events, done, abort } = watch();
    abort.abort();
    await done;
    expect(events).toMatchObject([{ type: 'failed', error: { kind: 'aborted' } }]);
    expect(clock.sleepers()).toBe(0);
  });
});
