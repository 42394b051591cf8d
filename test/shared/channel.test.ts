import { describe, expect, it } from 'vitest';
import { createChannel, passOn } from '../../src/shared/channel';
import { createWaker } from '../../src/shared/waker';

const drain = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
};

describe('channel', () => {
  it('keeps order and gives what is left after close', async () => {
    const channel = createChannel<number>();
    for (const n of [1, 2, 3]) channel.push(n);
    channel.close();
    channel.push(4);
    expect(await drain(channel)).toEqual([1, 2, 3]);
  });

  it('makes a producer wait while it is full', async () => {
    const channel = createChannel<number>(2);
    let pushed = 0;
    const produce = async () => {
      for (let n = 0; n < 10; n++) {
        await channel.room();
        channel.push(n);
        pushed = n + 1;
      }
      channel.close();
    };
    const producing = produce();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pushed).toBe(2);
    expect(await drain(channel)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await producing;
  });

  it('releases waiting producers when the consumer leaves', async () => {
    const channel = createChannel<number>(1);
    channel.push(0);
    const blocked = channel.room();
    for await (const _ of channel) break;
    await blocked;
  });
});

describe('values that are passed on', () => {
  const three = async function* () {
    yield 1;
    yield 2;
    yield 3;
  };

  it('are seen in order, and the end comes once, before the reader hears of it', async () => {
    const told: unknown[] = [];
    const passed = passOn(() => {
      told.push('open');
      return {
        source: three(),
        see: (value) => told.push(value),
        end: async () => {
          await Promise.resolve();
          told.push('end');
        },
      };
    });
    expect(told).toEqual([]);
    expect(await drain(passed)).toEqual([1, 2, 3]);
    expect(told).toEqual(['open', 1, 2, 3, 'end']);
  });

  const broken = async function* () {
    yield 1;
    throw new Error('broken');
  };
  const unseeable = () => {
    throw new Error('unseeable');
  };
  it.each([
    ['nobody reads on', { source: three() }, null],
    ['the source breaks', { source: broken() }, 'broken'],
    ['seeing fails', { source: three(), see: unseeable }, 'unseeable'],
  ])('end once when %s', async (_, way, failure) => {
    let ends = 0;
    const passed = passOn(() => ({
      ...way,
      end: () => {
        ends += 1;
      },
    }));
    const reading = (async () => {
      for await (const value of passed) if (failure === null && value === 1) break;
    })();
    if (failure === null) await reading;
    else await expect(reading).rejects.toThrow(failure);
    expect(ends).toBe(1);
  });
});

describe('waker', () => {
  it('counts several rings as one and ends with its signal', async () => {
    const abort = new AbortController();
    const waker = createWaker(abort.signal);
    waker.wake();
    waker.wake();
    expect(await waker.wait()).toBe(true);
    const waiting = waker.wait();
    abort.abort();
    expect(await waiting).toBe(false);
  });
});
