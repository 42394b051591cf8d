import { expect, test } from 'vitest';
import { createScreenStore } from '../../../src/renderer/store/screen';
import { createSessionFeeds, SESSIONS_IN_MEMORY } from '../../../src/renderer/store/session-feeds';
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
