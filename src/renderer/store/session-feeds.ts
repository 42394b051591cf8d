import { applyEvents } from '../../shared/apply-event';
import type { SessionFeed } from '../../shared/contract';
import { assembleSnapshot, type SnapshotAssembly } from '../../shared/snapshot';
import type { Transcript } from '../../shared/transcript';
import { reconnectDelayMs } from '../api/keep-connected';
import type { Client, Transport } from '../api/transport';
import { faultOf } from './ask';
import { touch } from './browser-storage';
import { createFrameQueue, type ScheduleFrame } from './frame-queue';
import type { FeedState, ScreenStore } from './screen';

/** Number of sessions kept in memory with a live subscription. The one on screen is always among them. */
export const SESSIONS_IN_MEMORY = 8;

/** Keeps the transcripts of the most recently shown sessions equal to the engine's. */
export interface SessionFeeds {
  /** Subscribes to a session, or keeps its subscription; the least recently shown one may be let go. */
  show(sessionId: string): void;
  /** Resubscribes everything over a new connection, from where each session stands. */
  useTransport(transport: Transport): void;
  /** Forgets a session that was removed. */
  forget(sessionId: string): void;
}

/** The dependencies of {@link createSessionFeeds}. */
export interface FeedDeps {
  readonly store: ScreenStore;
  readonly schedule: ScheduleFrame;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Creates the subscriptions of one page. */
export function createSessionFeeds(deps: FeedDeps): SessionFeeds {
  const running = new Map<string, AbortController>();
  let order: readonly string[] = [];
  let client: Client | null = null;

  const begin = (sessionId: string) => {
    running.get(sessionId)?.abort();
    running.delete(sessionId);
    if (client === null) return;
    const control = new AbortController();
    running.set(sessionId, control);
    void follow(deps, client, sessionId, control.signal);
  };
  const forget = (sessionId: string) => {
    running.get(sessionId)?.abort();
    running.delete(sessionId);
    order = order.filter((id) => id !== sessionId);
    deps.store.setState((s) => ({
      transcripts: without(s.transcripts, sessionId),
      feeds: without(s.feeds, sessionId),
    }));
  };
  return {
    forget,
    show(sessionId) {
      const { order: next, dropped } = touch(order, sessionId, SESSIONS_IN_MEMORY);
      order = next;
      for (const id of dropped) forget(id);
      const failed = deps.store.getState().feeds[sessionId]?.kind === 'failed';
      if (!running.has(sessionId) || failed) begin(sessionId);
    },
    useTransport(transport) {
      client = transport.client;
      for (const id of order) begin(id);
      transport.onClosed(() => {
        if (client !== transport.client) return;
        client = null;
        for (const control of running.values()) control.abort();
        running.clear();
      });
    },
  };
}

/** Reads one session's feed until aborted; a feed that ends or fails is asked for again, more and more slowly. */
async function follow(
  deps: FeedDeps,
  client: Client,
  sessionId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const { transcripts, feeds } = deps.store.getState();
      const known = transcripts[sessionId];
      // Why it failed stays in sight while it is tried again.
      if (!known && feeds[sessionId]?.kind !== 'failed')
        setFeed(deps.store, sessionId, { kind: 'loading' });
      const since =
        known && known.epoch !== '' ? { epoch: known.epoch, seq: known.seq } : undefined;
      const feed = await client.session.watch(
        since === undefined ? { sessionId } : { sessionId, since },
        { signal },
      );
      if (await readFeed(deps, sessionId, feed, signal)) attempt = 0;
    } catch (thrown) {
      if (!signal.aborted)
        setFeed(deps.store, sessionId, { kind: 'failed', fault: faultOf(thrown) });
    }
    await deps.wait(reconnectDelayMs(Math.max(attempt, 1)), signal);
  }
}

/** Folds one feed to its end; true when it had caught up, so the next try may be quick. */
async function readFeed(
  { store, schedule }: FeedDeps,
  sessionId: string,
  feed: AsyncIterable<SessionFeed>,
  signal: AbortSignal,
): Promise<boolean> {
  let caughtUp = false;
  let assembly: SnapshotAssembly | null = null;
  const queue = createFrameQueue(
    (batch) => {
      const known = store.getState().transcripts[sessionId];
      if (known) setTranscript(store, applyEvents(known, batch));
    },
    schedule,
    () => !caughtUp,
  );
  try {
    for await (const item of feed) {
      if (signal.aborted) return caughtUp;
      if (item.type === 'event') queue.push(item.stamped);
      else if (item.type === 'snapshot') {
        queue.clear();
        const { transcript, older } = item;
        assembly = older === 0 ? null : assembleSnapshot(transcript, older);
        if (older === 0) setTranscript(store, transcript);
        // Its epoch says that it is not whole: after a lost connection it is asked for anew.
        else if (!store.getState().transcripts[sessionId])
          setTranscript(store, { ...transcript, epoch: '' });
      } else if (item.type === 'older') {
        const whole = assembly?.add(item.items);
        if (whole) setTranscript(store, whole);
      } else if (item.type === 'refused') {
        setFeed(store, sessionId, { kind: 'failed', fault: item.fault });
      } else {
        queue.flush();
        caughtUp = true;
        setFeed(store, sessionId, { kind: 'live' });
      }
    }
  } finally {
    if (signal.aborted) queue.clear();
    else queue.flush();
  }
  return caughtUp;
}

const setTranscript = (store: ScreenStore, transcript: Transcript) =>
  store.setState((s) =>
    s.transcripts[transcript.sessionId] === transcript
      ? s
      : { transcripts: { ...s.transcripts, [transcript.sessionId]: transcript } },
  );

const setFeed = (store: ScreenStore, sessionId: string, state: FeedState) =>
  store.setState((s) => ({ feeds: { ...s.feeds, [sessionId]: state } }));

const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([k]) => k !== key));
