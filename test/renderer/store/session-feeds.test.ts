import { expect, test } from 'vitest';
import type { Client, Transport } from '../../../src/renderer/api/transport';
import { createScreenStore } from '../../../src/renderer/store/screen';
import { createSessionFeeds, SESSIONS_IN_MEMORY } from '../../../src/renderer/store/session-feeds';
import { fault } from '../../../src/shared/result';
import { snapshotPieces } from '../../../src/shared/snapshot';
import { emptyTranscript, type Item } from '../../../src/shared/transcript';
import { createFakeEngine } from '../../support/fake-host/fake-engine';
import { memoryTransport } from '../../support/fake-host/memory-transport';
import { fakeScenario } from '../../support/fake-host/scenario';

/** Lets everything that is ready happen. */
const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

async function start() {
  const engine = createFakeEngine(fakeScenario('busy', 1_000_000));
  const store = createScreenStore();
  const feeds = createSessionFeeds({
    store,
    schedule: (callback) => {
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
    wait: (_ms, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  });
  const connect = () => {
    const transport = memoryTransport(engine);
    feeds.useTransport(transport);
    return transport;
  };
  return { engine, store, feeds, connect };
}

const say = (text: string) => ({ type: 'notice', level: 'info', code: 'test', text }) as const;

test('a session shown before the connection is loaded once there is one', async () => {
  const { store, feeds, connect } = await start();
  feeds.show('s1');
  await settle();
  expect(store.getState().transcripts['s1']).toBeUndefined();
  connect();
  await settle();
  expect(store.getState().transcripts['s1']?.title).toBe('Fix the login redirect');
  expect(store.getState().feeds['s1']).toEqual({ kind: 'live' });
});

test('after a lost connection it asks only for what is missing; nothing is lost or doubled', async () => {
  const { engine, store, feeds, connect } = await start();
  const first = connect();
  feeds.show('s1');
  await settle();
  engine.emit('s1', say('one'));
  await settle();
  first.close();
  engine.emit('s1', say('two, while away'));
  connect();
  await settle();
  engine.emit('s1', say('three'));
  await settle();
  expect(engine.watches.map((w) => w.since)).toEqual([undefined, 41]);
  expect(store.getState().transcripts['s1']).toEqual(engine.transcript('s1'));
  const texts = store
    .getState()
    .transcripts['s1']?.active.flatMap((i) => (i.kind === 'divider' ? [i.text] : []));
  expect(texts).toEqual(['one', 'two, while away', 'three']);
});

test('only the sessions shown last stay in memory', async () => {
  const { engine, store, feeds, connect } = await start();
  connect();
  const ids = Array.from({ length: SESSIONS_IN_MEMORY + 2 }, (_, at) => `s${at + 1}`);
  for (const id of ids) feeds.show(id);
  await settle();
  expect(Object.keys(store.getState().feeds).length).toBe(SESSIONS_IN_MEMORY);
  engine.emit('s1', say('nobody looks'));
  await settle();
  expect(store.getState().transcripts['s1']).toBeUndefined();
});

test('a session that cannot be loaded says so and can be asked for again', async () => {
  const { store, feeds, connect } = await start();
  connect();
  feeds.show('unknown');
  await settle();
  expect(store.getState().feeds['unknown']?.kind).toBe('failed');
});

test('a session that cannot be opened says why', async () => {
  const { store, feeds } = await start();
  const busy = fault('session_busy', 'Session s is open in another Lathe.', 'Close it there.');
  const watch = async () =>
    (async function* () {
      yield { type: 'refused', fault: busy };
    })();
  const client = { session: { watch } } as unknown as Client;
  feeds.useTransport({ client, onClosed: () => {} } as unknown as Transport);
  feeds.show('s');
  await settle();
  expect(store.getState().feeds['s']).toEqual({ kind: 'failed', fault: busy });
});

test('deltas change only the active part', async () => {
  const { engine, store, feeds, connect } = await start();
  connect();
  feeds.show('s1');
  await settle();
  const before = store.getState().transcripts['s1'];
  engine.emit('s1', { type: 'block_delta', messageId: 'm2', index: 0, text: ' and more' });
  await settle();
  const after = store.getState().transcripts['s1'];
  expect(after?.active).not.toBe(before?.active);
  expect(after?.committed).toBe(before?.committed);
});

test('shows the end of a long session before its beginning is there, and asks anew when that was cut off', async () => {
  const { store, feeds } = await start();
  const rows = Array.from(
    { length: 1000 },
    (_, at): Item => ({
      ...{ kind: 'prompt', id: `p${at}`, text: `${at}`, at },
    }),
  );
  const whole = { ...emptyTranscript('s', 'e'), seq: 7, committed: rows };
  const asked: unknown[] = [];
  const told: Item[][] = [];
  let pieces = [...snapshotPieces(whole)].slice(0, 2);
  const connect = () => {
    let close = () => {};
    const watch = async (input: unknown) => {
      asked.push(input);
      return (async function* () {
        for (const piece of pieces) {
          yield piece;
          await settle();
          told.push([...(store.getState().transcripts['s']?.committed ?? [])]);
        }
        await new Promise<void>((resolve) => {
          close = resolve;
        });
      })();
    };
    feeds.useTransport({
      client: { session: { watch } },
      onClosed: () => {},
    } as unknown as Transport);
    return () => close();
  };
  feeds.show('s');
  const close = connect();
  await settle();
  await settle();
  await settle();
  // The newest rows, and no piece by itself.
  expect(told.map((list) => list.at(-1)?.id)).toEqual(['p999', 'p999']);
  expect(told[1]?.length).toBe(100);
  close();
  pieces = [...snapshotPieces(whole), { type: 'caught_up' }];
  connect();
  for (let n = 0; n < 20; n += 1) await settle();
  expect(asked).toEqual([{ sessionId: 's' }, { sessionId: 's' }]);
  expect(store.getState().transcripts['s']).toEqual(whole);
  // What was on screen stays until all of it is there.
  expect(new Set(told.map((list) => list.length))).toEqual(new Set([100, 1000]));
});
