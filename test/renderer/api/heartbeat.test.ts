import { expect, test } from 'vitest';
import { withHeartbeat } from '../../../src/renderer/api/keep-connected';
import { createClosing, type Transport } from '../../../src/renderer/api/transport';
import { err, fault, ok } from '../../../src/shared/result';
import { memoryClock } from '../../support/memory-clock';

/** A connection whose host answers as `ping` does, watched on a clock of the test. */
async function watched(ping: () => Promise<null>, heard = () => 0) {
  const closing = createClosing();
  const transport: Transport = {
    client: { app: { ping } } as unknown as Transport['client'],
    openTerminalFrames: async () => err(fault('none', 'none')),
    heard,
    close: closing.close,
    onClosed: closing.onClosed,
  };
  const clock = memoryClock();
  const dialled = await withHeartbeat(
    async () => ok(transport),
    clock.sleep,
  )(new AbortController().signal);
  expect(dialled).toEqual(ok(transport));
  return { transport, clock, closed: () => closing.done };
}

const never = () => new Promise<null>(() => {});

test('a host that answers keeps its connection', async () => {
  let asked = 0;
  const { clock, closed } = await watched(async () => {
    asked += 1;
    return null;
  });
  for (let second = 0; second < 30; second += 1) await clock.advance(1000);
  expect(closed()).toBe(false);
  expect(asked).toBeGreaterThan(10);
});

test('a host that falls silent is given up within 5 seconds, and nothing waits any longer', async () => {
  let silent = false;
  const { clock, closed } = await watched(() => (silent ? never() : Promise.resolve(null)));
  await clock.advance(1500);
  silent = true;
  for (let ms = 0; ms < 4500; ms += 250) await clock.advance(250);
  expect(closed()).toBe(false);
  await clock.advance(500);
  expect(closed()).toBe(true);
  expect(clock.sleepers()).toBe(0);
});

test('an error of the host is a sign of life', async () => {
  const { clock, closed } = await watched(() => Promise.reject(new Error('no such call')));
  for (let second = 0; second < 10; second += 1) await clock.advance(1000);
  expect(closed()).toBe(false);
});

test('a host whose answer stands behind much else is there, until nothing comes any more', async () => {
  let heard = 0;
  const { clock, closed } = await watched(never, () => heard);
  for (let second = 0; second < 30; second += 1) {
    heard += 1;
    await clock.advance(1000);
  }
  expect(closed()).toBe(false);
  for (let second = 0; second < 10; second += 1) await clock.advance(1000);
  expect(closed()).toBe(true);
});

test('an answer that was there while the page slept counts', async () => {
  let answer: (value: null) => void = () => {};
  const { clock, closed } = await watched(() => new Promise((resolve) => (answer = resolve)));
  await clock.advance(1500);
  await clock.advance(3000);
  answer(null);
  await clock.advance(250);
  expect(closed()).toBe(false);
});

test('it ends with the connection', async () => {
  const { transport, clock } = await watched(async () => null);
  transport.close();
  await clock.advance(10_000);
  expect(clock.sleepers()).toBe(0);
});
