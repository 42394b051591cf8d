import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/renderer/api/transport';
import { createAsk } from '../../../src/renderer/store/ask';
import { createDrafts, createLastShown } from '../../../src/renderer/store/browser-storage';
import { createCurrentSession } from '../../../src/renderer/store/current-session';
import { createScreenStore } from '../../../src/renderer/store/screen';
import type { SessionSummary } from '../../../src/shared/contract';
import type { PromptBlock } from '../../../src/shared/queued-prompt';
import { err, fault, ok, type Result } from '../../../src/shared/result';

const PROJECT = { path: '/p', name: 'p', trusted: true, findings: [], problems: [] };
const summary = (id: string, over: Partial<SessionSummary> = {}): SessionSummary =>
  ({
    id,
    project: '/p',
    title: id,
    updatedAt: 1,
    running: false,
    needsAnswer: false,
    ...over,
  }) as SessionSummary;

/** A page whose host answers when the test says so. */
function page(sessions: readonly SessionSummary[]) {
  const disk = new Map<string, string>();
  const storage = {
    getItem: (key: string) => disk.get(key) ?? null,
    setItem: (key: string, value: string) => void disk.set(key, value),
  };
  const store = createScreenStore();
  const drafts = createDrafts(storage);
  const sent: { sessionId: string; text: string; blocks?: readonly PromptBlock[] }[] = [];
  const ids: string[] = [];
  const creations: ((made: Result<SessionSummary>) => void)[] = [];
  let refused: Result<null> = ok(null);
  const client = {
    sessions: { create: () => new Promise((resolve) => creations.push(resolve)) },
    session: {
      submit: ({ sessionId, text, blocks, promptId }: Submitted) => {
        ids.push(promptId);
        const taken = () => sent.push({ sessionId, text, ...(blocks ? { blocks } : {}) });
        if (silent) return new Promise(() => {});
        if (refused.ok) taken();
        return Promise.resolve(refused);
      },
    },
  } as unknown as Client;
  let silent = false;
  let lost = new AbortController();
  let number = 0;
  const slow: (() => void)[] = [];
  const current = createCurrentSession({
    store,
    drafts,
    ask: createAsk(() => ({ client, lost: lost.signal })),
    storage,
    newId: () => {
      number += 1;
      return `message-${number}`;
    },
    wait: (_, signal) =>
      new Promise((resolve) => {
        slow.push(resolve);
        signal.addEventListener('abort', () => resolve());
      }),
    feeds: { show() {}, useTransport() {}, forget() {} },
    lastShown: createLastShown(storage),
  });
  store.setState({
    opened: PROJECT,
    app: { sessions } as never,
    link: { kind: 'connected' },
  });
  return {
    ids,
    unsent: () => store.getState().unsent.map(({ text, tried }) => [text, tried]),
    /** The host answers nothing from now on. */
    fallSilent() {
      silent = true;
    },
    async grow() {
      for (const resolve of slow.splice(0)) resolve();
      await settled();
    },
    async disconnect() {
      store.setState({ link: { kind: 'lost', attempt: 1, fault: fault('lost', 'Lost.') } });
      lost.abort();
      await settled();
    },
    async reconnect() {
      silent = false;
      lost = new AbortController();
      store.setState({ link: { kind: 'connected' } });
      await current.sendWaiting();
      await settled();
    },
    store,
    drafts,
    current,
    sent,
    refuse: (result: Result<null>) => {
      refused = result;
    },
    shown: () => store.getState().sessionId,
    asked: () => creations.length,
    /** The host answers the oldest request for a session. */
    async made(id: string) {
      creations.shift()?.(ok(summary(id, { title: '' })));
      await settled();
    },
    async failed() {
      creations.shift()?.(err(fault('disk', 'No room.')));
      await settled();
    },
    type: (text: string) => drafts.set(current.draftKey(), drafts.get(current.draftKey()) + text),
  };
}

type Submitted = {
  readonly sessionId: string;
  readonly text: string;
  readonly blocks?: readonly PromptBlock[];
  readonly promptId: string;
};

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a new session', () => {
  test('takes what is typed while it is made; the one before gets nothing', async () => {
    const p = page([summary('old')]);
    p.current.show('old');
    p.type('half');
    void p.current.startNew();
    expect(p.shown()).toBeNull();
    p.type('fix ');
    p.type('it');
    await p.made('new');
    expect(p.shown()).toBe('new');
    expect(p.drafts.get('new')).toBe('fix it');
    expect(p.drafts.get('old')).toBe('half');
  });

  test('gets the prompt sent while it is made, and only it', async () => {
    const p = page([summary('old')]);
    p.current.show('old');
    void p.current.startNew();
    p.type('fix it');
    const sent = p.current.submit('fix it');
    expect(p.drafts.get(p.current.draftKey())).toBe('');
    await p.made('new');
    expect(await sent).toEqual(ok(null));
    expect(p.sent).toEqual([{ sessionId: 'new', text: 'fix it' }]);
  });

  test('asked for twice in a row is one; asked for again after a prompt is another', async () => {
    const p = page([]);
    void p.current.startNew();
    void p.current.startNew();
    await settled();
    expect(p.asked()).toBe(1);
    const first = p.current.submit('one');
    void p.current.startNew();
    p.type('second');
    const second = p.current.submit('two');
    await settled();
    expect(p.asked()).toBe(2);
    await p.made('a');
    await p.made('b');
    await Promise.all([first, second]);
    expect(p.sent).toEqual([
      { sessionId: 'a', text: 'one' },
      { sessionId: 'b', text: 'two' },
    ]);
    expect(p.shown()).toBe('b');
  });

  test('is not one that the host lists before it says that it is made: an earlier prompt waits for it', async () => {
    const p = page([]);
    void p.current.startNew();
    const first = p.current.submit('one');
    p.store.setState({ app: { sessions: [summary('a', { title: '' })] } as never });
    void p.current.startNew();
    expect(p.shown()).toBeNull();
    const second = p.current.submit('two');
    await p.made('a');
    await p.made('b');
    await Promise.all([first, second]);
    expect(p.sent).toEqual([
      { sessionId: 'a', text: 'one' },
      { sessionId: 'b', text: 'two' },
    ]);
  });

  test('is not one with a prompt on its way that the host lists late', async () => {
    const p = page([]);
    void p.current.startNew();
    const first = p.current.submit('one');
    await p.made('a');
    await first;
    void p.current.startNew();
    const second = p.current.submit('two');
    await p.made('b');
    await second;
    p.store.setState({ app: { sessions: [summary('a', { title: '' })] } as never });
    void p.current.startNew();
    expect(p.shown()).toBeNull();
    expect(p.asked()).toBe(1);
  });

  test('does not come over a session chosen meanwhile, and keeps its words', async () => {
    const p = page([summary('old')]);
    void p.current.startNew();
    p.type('later');
    p.current.show('old');
    await p.made('new');
    expect(p.shown()).toBe('old');
    expect(p.drafts.get('new')).toBe('later');
  });

  test('is an empty one of the project, at once; but not one this page has spoken to', async () => {
    const p = page([summary('old'), summary('empty', { title: '' })]);
    p.current.show('old');
    void p.current.startNew();
    expect(p.shown()).toBe('empty');
    await p.current.submit('one');
    // The host still lists it as empty.
    void p.current.startNew();
    expect(p.shown()).toBeNull();
    expect(p.asked()).toBe(1);
  });

  test('that cannot be made gives the words back and says why', async () => {
    const p = page([]);
    void p.current.startNew();
    const sent = p.current.submit('fix it');
    p.type('and');
    await p.failed();
    expect((await sent).ok).toBe(false);
    expect(p.drafts.get(p.current.draftKey())).toBe('fix it\nand');
    expect(p.store.getState().toasts.map(({ text }) => text)).toEqual(['No room.']);
    p.current.settle();
    expect(p.asked()).toBe(0);
  });
});

describe('a prompt', () => {
  test('names the session it was typed for, whatever is shown later', async () => {
    const p = page([summary('a'), summary('b')]);
    p.current.show('a');
    const sent = p.current.submit('for a');
    p.current.show('b');
    await sent;
    expect(p.sent).toEqual([{ sessionId: 'a', text: 'for a' }]);
  });

  test('that the host refuses goes back before what was typed since, in its own session', async () => {
    const p = page([summary('a'), summary('b')]);
    p.refuse(err(fault('full', 'The queue is full.')));
    p.current.show('a');
    const sent = p.current.submit('for a');
    p.type('more');
    p.current.show('b');
    await sent;
    expect([p.drafts.get('a'), p.drafts.get('b')]).toEqual(['for a\nmore', '']);
  });
});

describe('at first opening', () => {
  test('the newest session is shown', () => {
    const p = page([summary('a'), summary('b', { updatedAt: 5 }), summary('c')]);
    p.current.settle();
    expect(p.shown()).toBe('b');
  });
  test('letters typed before it is known start a session of their own', async () => {
    const p = page([summary('a')]);
    p.type('fix');
    p.current.settle();
    expect(p.shown()).toBeNull();
    await p.made('new');
    expect([p.shown(), p.drafts.get('new')]).toEqual(['new', 'fix']);
  });
  test('a project without sessions gets one, and one only', async () => {
    const p = page([]);
    p.current.settle();
    p.current.settle();
    await settled();
    expect(p.asked()).toBe(1);
  });
});

describe('attachments', () => {
  const log = { kind: 'paste', text: 'a log' } as const;
  test('go with the prompt to the session that is being made, and nowhere else', async () => {
    const p = page([summary('old')]);
    p.current.show('old');
    void p.current.startNew();
    p.drafts.attach(p.current.draftKey(), [log]);
    const done = p.current.submit('look');
    await p.made('new');
    await done;
    expect(p.sent).toMatchObject([{ sessionId: 'new', text: 'look' }]);
    expect(p.sent[0]?.blocks).toHaveLength(1);
    expect(p.drafts.attached('old')).toEqual([]);
    expect(p.drafts.attached('new')).toEqual([]);
  });
  test('move with a draft that was begun before there was a session', async () => {
    const p = page([summary('old')]);
    p.current.show('old');
    void p.current.startNew();
    p.drafts.attach(p.current.draftKey(), [log]);
    await p.made('new');
    expect(p.drafts.attached('new')).toEqual([log]);
  });
  test('come back when the prompt could not be sent', async () => {
    const p = page([summary('old')]);
    p.current.show('old');
    p.drafts.attach('old', [log]);
    p.refuse(err(fault('full', 'The queue is full.')));
    await p.current.submit('look');
    expect(p.drafts.attached('old')).toEqual([log]);
    expect(p.drafts.get('old')).toBe('look');
  });
});

describe('without a connection', () => {
  const log = { kind: 'paste', text: 'a log' } as const;

  test('messages wait in order, with what they carry, and go out once when it is back', async () => {
    const p = page([summary('a')]);
    p.current.show('a');
    await p.disconnect();
    p.drafts.attach('a', [log]);
    expect(await p.current.submit('one')).toEqual(ok(null));
    await p.current.submit('two');
    expect(p.unsent()).toEqual([
      ['one', false],
      ['two', false],
    ]);
    expect(p.drafts.attached('a')).toEqual([]);
    await p.reconnect();
    expect(p.sent.map(({ text, blocks }) => [text, blocks?.length ?? 0])).toEqual([
      ['one', 1],
      ['two', 0],
    ]);
    expect(p.ids).toEqual(['message-1', 'message-2']);
    expect(p.unsent()).toEqual([]);
    await p.reconnect();
    expect(p.sent).toHaveLength(2);
  });

  test('one whose answer was lost is sent again under its own id', async () => {
    const p = page([summary('a')]);
    p.current.show('a');
    p.fallSilent();
    const sent = p.current.submit('one');
    await settled();
    expect(p.unsent()).toEqual([]);
    await p.grow();
    expect(p.unsent()).toEqual([['one', true]]);
    await p.disconnect();
    expect(await sent).toEqual(ok(null));
    p.current.takeBackUnsent('message-1');
    expect(p.unsent()).toEqual([['one', true]]);
    await p.reconnect();
    expect(p.ids).toEqual(['message-1', 'message-1']);
    expect(p.unsent()).toEqual([]);
  });

  test('what was not sent can be taken back, and what is refused comes back with the reason', async () => {
    const p = page([summary('a')]);
    p.current.show('a');
    await p.disconnect();
    await p.current.submit('one');
    await p.current.submit('two');
    p.current.takeBackUnsent('message-1');
    expect(p.drafts.get('a')).toBe('one');
    p.refuse(err(fault('full', 'The queue is full.')));
    await p.reconnect();
    expect(p.drafts.get('a')).toBe('two\none');
    expect(p.store.getState().toasts.map(({ text }) => text)).toEqual(['The queue is full.']);
    expect(p.unsent()).toEqual([]);
  });

  test('messages for a new session are for one new session, not for the newest there is', async () => {
    const p = page([summary('old')]);
    p.current.show('old');
    await p.disconnect();
    void p.current.startNew();
    await p.current.submit('one');
    await p.current.submit('two');
    const back = p.reconnect();
    p.current.settle();
    await settled();
    expect(p.shown()).toBeNull();
    await p.made('new');
    await back;
    expect(p.sent).toEqual([
      { sessionId: 'new', text: 'one' },
      { sessionId: 'new', text: 'two' },
    ]);
    expect([p.shown(), p.asked()]).toEqual(['new', 0]);
  });

  test('a message goes to the new session that was made unheard and is shown by now', async () => {
    const p = page([]);
    void p.current.startNew();
    const sent = p.current.submit('begin');
    await p.disconnect();
    await sent;
    expect(p.unsent()).toEqual([['begin', false]]);
    const made = [summary('other', { title: '', project: '/q' }), summary('made', { title: '' })];
    p.store.setState({ app: { sessions: made } as never });
    p.current.settle();
    expect(p.shown()).toBe('made');
    const asked = p.asked();
    await p.reconnect();
    expect(p.sent).toEqual([{ sessionId: 'made', text: 'begin' }]);
    expect([p.shown(), p.asked()]).toEqual(['made', asked]);
  });

  test('at most fifty wait; the next one stays in the draft, with the reason', async () => {
    const p = page([summary('a')]);
    p.current.show('a');
    await p.disconnect();
    for (let n = 1; n <= 50; n += 1) expect((await p.current.submit(`${n}`)).ok).toBe(true);
    expect((await p.current.submit('too much')).ok).toBe(false);
    expect(p.drafts.get('a')).toBe('too much');
    expect(p.unsent()).toHaveLength(50);
  });
});
