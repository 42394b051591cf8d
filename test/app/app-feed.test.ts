import { expect, test } from 'vitest';
import { createAppFeed } from '../../src/main/app/app-feed';
import {
  type OpenedSessions,
  tellSignals,
  watchAttention,
} from '../../src/main/app/session-attention';
import { createEventLog } from '../../src/main/engine/event-log';
import type { AgentEvent } from '../../src/shared/agent-event';
import { applyEvent } from '../../src/shared/apply-event';
import type { AppFeed, AppState } from '../../src/shared/contract';
import { NO_USAGE } from '../../src/shared/facts';
import type { TerminalSignal } from '../../src/shared/terminal-signal';
import { emptyTranscript } from '../../src/shared/transcript';
import { memoryClock } from '../support/memory-clock';

const STATE: AppState = {
  connection: { kind: 'none' },
  preferences: { theme: 'system', zoom: 1, layout: {} },
  recents: [],
  projects: [],
  sessions: [],
  terminals: [],
  leftovers: [],
  terminalHost: 'idle',
  keys: { file: '', bindings: [], problems: [] },
};

/** A hub, with the sessions that it denied. */
function hubOfTest() {
  const denied: string[] = [];
  return { denied, hub: createAppFeed(STATE, (sessionId) => denied.push(sessionId)) };
}

/** A page that reads what its window gives it. */
function pageOf(watch: (signal: AbortSignal) => AsyncGenerator<AppFeed>) {
  const gone = new AbortController();
  const feed = watch(gone.signal);
  return {
    next: async () => (await feed.next()).value,
    leave: async () => {
      gone.abort();
      await feed.next();
    },
  };
}

const settings = { type: 'command', id: 'settings' } as const;

test('closing the last window of a session denies what it asks; another window keeps it', () => {
  const { hub, denied } = hubOfTest();
  const first = hub.openWindow();
  const second = hub.openWindow();
  first.saw('a');
  first.saw('b');
  second.saw('b');
  first.close();
  expect(denied).toEqual(['a']);
  first.close();
  second.close();
  expect(denied).toEqual(['a', 'b']);
});

test('a page that is back from a reload keeps its questions', () => {
  const { hub, denied } = hubOfTest();
  const before = hub.openWindow();
  before.saw('a');
  const after = hub.openWindow();
  after.saw('a');
  before.close();
  expect(denied).toEqual([]);
});

test('a place is shown by the window that has its session, else its project, else has had it, else by the next one', async () => {
  const { hub } = hubOfTest();
  const [web, api] = [hub.openWindow(), hub.openWindow()];
  web.opened('/web');
  api.opened('/api');
  web.saw('s1');
  web.saw('s2');
  expect(hub.windowFor({ sessionId: 's2', project: '/api' })).toBe(web);
  // It was left for another session, so only its project counts.
  expect(hub.windowFor({ sessionId: 's1', project: '/api' })).toBe(api);
  expect(hub.windowFor({ sessionId: 's1', project: '/none' })).toBe(web);
  expect(hub.windowFor({ sessionId: 's3', project: '/none' })).toBeNull();
  web.opened('/moved');
  expect(hub.windowFor({ project: '/web' })).toBeNull();
  // What it showed belongs to the project that it left.
  expect(web.shown()).toEqual({ project: '/moved', sessionId: null });
  hub.show({ project: '/api' });
  hub.show({ project: '/none' });
  const [apiPage, webPage] = [pageOf(api.watch), pageOf(web.watch)];
  expect([await apiPage.next(), await apiPage.next()]).toEqual([
    { type: 'state', state: STATE },
    { type: 'show', project: '/api' },
  ]);
  await webPage.next();
  await webPage.leave();
  const next = pageOf(hub.openWindow().watch);
  await next.next();
  expect(await next.next()).toEqual({ type: 'show', project: '/none' });
  const later = pageOf(hub.openWindow().watch);
  await later.next();
  hub.set({ recents: ['/x'] });
  expect(await later.next()).toEqual({ type: 'state', state: { recents: ['/x'] } });
});

test('what is asked of a window reaches its page alone, and waits for one that reloads', async () => {
  const { hub } = hubOfTest();
  const [window, other] = [hub.openWindow(), hub.openWindow()];
  const [before, elsewhere] = [pageOf(window.watch), pageOf(other.watch)];
  await Promise.all([before.next(), elsewhere.next()]);
  window.ask(settings);
  expect(await before.next()).toEqual(settings);
  await before.leave();
  window.ask({ type: 'command', id: 'keys' });
  const after = pageOf(window.watch);
  await after.next();
  expect(await after.next()).toEqual({ type: 'command', id: 'keys' });
  hub.set({ recents: ['/only'] });
  expect(await elsewhere.next()).toEqual({ type: 'state', state: { recents: ['/only'] } });
});

test('of many requests that nobody took, the newest ten are kept', async () => {
  const { hub } = hubOfTest();
  const window = hub.openWindow();
  for (let n = 1; n <= 15; n += 1) window.ask({ type: 'command', id: `${n}` });
  const page = pageOf(window.watch);
  await page.next();
  const ids: unknown[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await page.next());
  expect(ids.map((one) => (one as { id: string }).id)).toEqual(
    Array.from({ length: 10 }, (_, n) => `${n + 6}`),
  );
});

test('signals of hooks are told to all windows, and notifications to who looks elsewhere', async () => {
  const hub = createAppFeed(STATE, () => {});
  const log = createEventLog({ sessionId: 's', epoch: 'e', clock: memoryClock() });
  const runtime = { session: { log, project: '/p' } };
  const sessions: OpenedSessions = { onOpened: (listener) => listener(runtime) };
  const told: unknown[] = [];
  watchAttention(sessions).listen((one) => told.push(one));
  const bell: TerminalSignal = { kind: 'bell' };
  const named: TerminalSignal = { kind: 'notification', title: 'Build', body: 'done' };
  const plain: TerminalSignal = { kind: 'notification', title: '', body: 'Hi' };
  const gone = new AbortController();
  const pages = [hub.openWindow(), hub.openWindow()].map((one) => one.watch(gone.signal));
  for (const page of pages) await page.next();
  tellSignals(sessions, hub.tell);
  const signals = [bell, { kind: 'title', text: 'T' } as const, named, plain];
  const stamped = log.append({ type: 'terminal_signals', sequences: [], signals });
  const base = { kind: 'hook', sessionId: 's', project: '/p' };
  expect(told).toEqual([
    { ...base, title: 'Build', body: 'done' },
    { ...base, title: 'Lathe', body: 'Hi' },
  ]);
  for (const page of pages)
    for (const signal of [bell, named, plain])
      expect((await page.next()).value).toEqual({
        ...{ type: 'signal', project: '/p', sessionId: 's' },
        signal,
      });
  gone.abort();
  expect(applyEvent(emptyTranscript('s', 'e'), stamped).windowTitle).toBe('T');
});

test('the end of long work is told in the words of its answer, as they are on screen', () => {
  const clock = memoryClock();
  const log = createEventLog({ sessionId: 's', epoch: 'e', clock });
  const runtime = { session: { log, project: '/p' } };
  const told: unknown[] = [];
  watchAttention({ onOpened: (listener) => listener(runtime) }).listen(({ kind, body }) =>
    told.push([kind, body]),
  );
  const work = (text: string, events: readonly AgentEvent[] = [], failed = false) => {
    for (const event of [{ type: 'query_started', queryId: 'q' } as const, ...events])
      log.append(event);
    log.append({
      ...{ type: 'query_finished', queryId: 'q', text, turns: 1, usage: NO_USAGE, costUsd: 0 },
      ...{ terminal: failed ? 'model_error' : 'completed', durationMs: 10_000, apiMs: 0 },
      ...{ denials: [], stopReason: null },
    });
    return told.splice(0);
  };
  const said = (index: number, text: string): AgentEvent => ({
    ...{ type: 'block_finished', messageId: 'm', model: 'x', index },
    block: { type: 'text', text },
  });
  const shown = (index: number, text: string): AgentEvent => ({
    ...{ type: 'text_replaced', messageId: 'm', index, text },
  });
  const two = [said(0, 'First.'), said(1, 'Second.')];
  expect(work('First.\n\nSecond.', two)).toEqual([['finished', 'First.']]);
  // A command of a user says nothing of the answer before it.
  expect(work('')).toEqual([['finished', '']]);
  expect(work('Shorter now.')).toEqual([['finished', 'Shorter now.']]);
  expect(work('First.', [said(0, 'First.'), shown(0, '***')])).toEqual([['finished', '***']]);
  expect(work('First.', [said(0, 'First.'), shown(0, '')])).toEqual([['finished', '']]);
  expect(work('It said: First.', [said(0, 'First.'), shown(0, '***')], true)).toEqual([
    ['failed', 'It said: ***'],
  ]);
});
