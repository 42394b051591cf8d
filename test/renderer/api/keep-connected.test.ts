import { expect, test } from 'vitest';
import {
  keepConnected,
  type LinkStatus,
  reconnectDelayMs,
} from '../../../src/renderer/api/keep-connected';
import {
  createClosing,
  type Dial,
  NOT_ADMITTED,
  type Transport,
} from '../../../src/renderer/api/transport';
import { err, fault, ok, type Result } from '../../../src/shared/result';

function fakeTransport(): Transport {
  const closing = createClosing();
  return {
    client: {} as Transport['client'],
    openTerminalFrames: async () => err(fault('none', 'none')),
    heard: () => 0,
    close: closing.close,
    onClosed: closing.onClosed,
  };
}

/** Runs the keeper over a script of dial results; ends when the script does. */
async function run(script: readonly Result<Transport>[], drops = true) {
  const control = new AbortController();
  const statuses: LinkStatus[] = [];
  const waits: number[] = [];
  const left = [...script];
  const dial: Dial = async () => {
    const next = left.shift();
    if (next) return next;
    control.abort();
    return err(fault('unreachable', 'no'));
  };
  await keepConnected(
    {
      dial,
      wait: async (ms) => {
        waits.push(ms);
      },
      onStatus: (status) => statuses.push(status),
      onTransport: (transport) => {
        if (drops) queueMicrotask(() => transport.close());
      },
      onBack: () => {},
    },
    control.signal,
  );
  return { kinds: statuses.map((s) => s.kind), statuses, waits };
}

const down = err(fault('unreachable', 'no'));

test('it tells every state on the way from nothing to lost', async () => {
  const { kinds } = await run([ok(fakeTransport())]);
  expect(kinds).toEqual(['connecting', 'connected', 'lost']);
});

test('failed tries wait longer and longer, and a connection starts over', async () => {
  const { waits } = await run([down, down, down, ok(fakeTransport()), down]);
  // 1500: the heartbeat of the connection.
  expect(waits).toEqual([250, 500, 1000, 1500, 250, 250]);
});

test('a page that is not admitted stops asking', async () => {
  const { kinds, waits } = await run([err(fault(NOT_ADMITTED, 'who are you'))]);
  expect(kinds).toEqual(['connecting', 'refused']);
  expect(waits).toEqual([]);
});

test('the wait never grows beyond ten seconds', () => {
  expect([1, 2, 3, 6, 7, 5000].map(reconnectDelayMs)).toEqual([250, 500, 1000, 8000, 10000, 10000]);
});

test('an abort closes the connection in use and ends', async () => {
  const control = new AbortController();
  const transport = fakeTransport();
  let closed = false;
  transport.onClosed(() => {
    closed = true;
  });
  const kept = keepConnected(
    {
      dial: async () => ok(transport),
      wait: async () => {},
      onStatus: () => {},
      onTransport: () => queueMicrotask(() => control.abort()),
      onBack: () => {},
    },
    control.signal,
  );
  await kept;
  expect(closed).toBe(true);
});
