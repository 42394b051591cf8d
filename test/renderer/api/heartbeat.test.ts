import { expect, test } from 'vitest';
import { keepConnected, type LinkStatus } from '../../../src/renderer/api/keep-connected';
import { createClosing, NOT_ADMITTED, type Transport } from '../../../src/renderer/api/transport';
import { err, fault, ok, type Result } from '../../../src/shared/result';
import { memoryClock } from '../../support/memory-clock';

/** A connection whose host answers as `ping` does. */
function connection(ping: () => Promise<null>, heard = () => 0) {
  const closing = createClosing();
  const transport: Transport = {
    client: { app: { ping } } as unknown as Transport['client'],
    openTerminalFrames: async () => err(fault('none', 'none')),
    heard,
    close: closing.close,
    onClosed: closing.onClosed,
  };
  return { transport, closed: () => closing.done };
}

const down = err(fault('unreachable', 'no'));
const never = () => new Promise<null>(() => {});

/** A page that holds one connection, on a clock of the test. `dials` says what comes of each further dial. */
async function watched(
  ping: () => Promise<null>,
  { heard, dials = [] }: { heard?: () => number; dials?: readonly Result<Transport>[] } = {},
) {
  const { transport, closed } = connection(ping, heard);
  const clock = memoryClock();
  const control = new AbortController();
  const left = [ok(transport), ...dials];
  const statuses: LinkStatus[] = [];
  const used: Transport[] = [];
  let backs = 0;
  const ended = keepConnected(
    {
      dial: async () => left.shift() ?? down,
      wait: clock.sleep,
      onStatus: (status) => statuses.push(status),
      onTransport: (next) => used.push(next),
      onBack: () => {
        backs += 1;
      },
    },
    control.signal,
  );
  await clock.advance(0);
  return {
    ...{ transport, clock, closed, used, ended },
    status: () => statuses.at(-1)?.kind,
    backs: () => backs,
    end: () => control.abort(),
  };
}

type Watched = Awaited<ReturnType<typeof watched>>;

/** Lets time pass in steps shorter than anything waits. */
async function pass({ clock }: Pick<Watched, 'clock'>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) await clock.advance(250);
}

test('a host that answers keeps its connection', async () => {
  let asked = 0;
  const link = await watched(async () => {
    asked += 1;
    return null;
  });
  await pass(link, 30_000);
  expect(link.status()).toBe('connected');
  expect(link.closed()).toBe(false);
  expect(asked).toBeGreaterThan(10);
});

test('a host that falls silent is shown as lost within 5 seconds, and its connection is kept', async () => {
  let silent = false;
  const link = await watched(() => (silent ? never() : Promise.resolve(null)));
  await link.clock.advance(1500);
  silent = true;
  await pass(link, 4500);
  expect(link.status()).toBe('connected');
  await pass(link, 500);
  expect(link.status()).toBe('lost');
  await pass(link, 60_000);
  expect(link.status()).toBe('lost');
  expect(link.closed()).toBe(false);
  link.transport.close();
  link.end();
  await link.ended;
  expect(link.clock.sleepers()).toBe(0);
});

test('a host that was only suspended goes on over the same connection', async () => {
  let heard = 0;
  let answer: (value: null) => void = () => {};
  const link = await watched(() => new Promise((resolve) => (answer = resolve)), {
    heard: () => heard,
  });
  await pass(link, 20_000);
  expect(link.status()).toBe('lost');
  heard += 1;
  answer(null);
  await pass(link, 500);
  expect(link.status()).toBe('connected');
  expect(link.backs()).toBe(1);
  expect(link.closed()).toBe(false);
  expect(link.used).toEqual([link.transport]);
});

test('another connection takes the place of a silent one as soon as it is answered', async () => {
  const [mute, alive] = [connection(never), connection(async () => null)];
  const link = await watched(never, { dials: [down, ok(mute.transport), ok(alive.transport)] });
  await pass(link, 20_000);
  expect(link.used).toEqual([link.transport, alive.transport]);
  expect(link.status()).toBe('connected');
  expect([link.closed(), mute.closed(), alive.closed()]).toEqual([true, true, false]);
  expect(link.backs()).toBe(0);
});

test('a dial that succeeds while the silent one is heard again is dropped', async () => {
  let heard = 0;
  const late = connection(async () => {
    heard += 1;
    return null;
  });
  const link = await watched(never, { heard: () => heard, dials: [ok(late.transport)] });
  await pass(link, 5_000);
  expect(link.used).toEqual([link.transport]);
  expect([link.closed(), late.closed()]).toEqual([false, true]);
});

test('a page that a new host does not admit ends the silent connection and says so', async () => {
  const refused = err(fault(NOT_ADMITTED, 'who are you'));
  const link = await watched(never, { dials: [refused, refused] });
  await pass(link, 10_000);
  expect(link.closed()).toBe(true);
  expect(link.status()).toBe('refused');
});

test('an error of the host is a sign of life', async () => {
  const link = await watched(() => Promise.reject(new Error('no such call')));
  await pass(link, 10_000);
  expect(link.status()).toBe('connected');
});

test('a host whose answer stands behind much else is there, until nothing comes any more', async () => {
  let heard = 0;
  const link = await watched(never, { heard: () => heard });
  for (let second = 0; second < 30; second += 1) {
    heard += 1;
    await pass(link, 1000);
  }
  expect(link.status()).toBe('connected');
  await pass(link, 10_000);
  expect(link.status()).toBe('lost');
});

test('an answer that was there while the page slept counts', async () => {
  let answer: (value: null) => void = () => {};
  const link = await watched(() => new Promise((resolve) => (answer = resolve)));
  await link.clock.advance(1500);
  await link.clock.advance(3000);
  answer(null);
  await link.clock.advance(250);
  expect(link.status()).toBe('connected');
});

test('it ends with the connection', async () => {
  const link = await watched(async () => null);
  link.end();
  await link.ended;
  expect(link.closed()).toBe(true);
  expect(link.clock.sleepers()).toBe(0);
});
