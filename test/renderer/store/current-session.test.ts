import { describe, expect, test } from 'vitest';
import { endRevision } from '../../../src/renderer/store/sessions';
import { err, fault, ok } from '../../../src/shared/result';
import { sessionPage, settled, summary } from './support/session-page';

describe('a new session', () => {
  test('takes what is typed while it is made; the one before gets nothing', async () => {
    const p = sessionPage([summary('old')]);
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
    const p = sessionPage([summary('old')]);
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
    const p = sessionPage([]);
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
    const p = sessionPage([]);
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
    const p = sessionPage([]);
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
    const p = sessionPage([summary('old')]);
    void p.current.startNew();
    p.type('later');
    p.current.show('old');
    await p.made('new');
    expect(p.shown()).toBe('old');
    expect(p.drafts.get('new')).toBe('later');
  });

  test('is an empty one of the project, at once; but not one this page has spoken to', async () => {
    const p = sessionPage([summary('old'), summary('empty', { title: '' })]);
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
    const p = sessionPage([]);
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
    const p = sessionPage([summary('a'), summary('b')]);
    p.current.show('a');
    const sent = p.current.submit('for a');
    p.current.show('b');
    await sent;
    expect(p.sent).toEqual([{ sessionId: 'a', text: 'for a' }]);
  });

  test('that the host refuses goes back before what was typed since, in its own session', async () => {
    const p = sessionPage([summary('a'), summary('b')]);
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
    const p = sessionPage([summary('a'), summary('b', { updatedAt: 5 }), summary('c')]);
    p.current.settle();
    expect(p.shown()).toBe('b');
  });
  test('letters typed before it is known start a session of their own', async () => {
    const p = sessionPage([summary('a')]);
    p.type('fix');
    p.current.settle();
    expect(p.shown()).toBeNull();
    await p.made('new');
    expect([p.shown(), p.drafts.get('new')]).toEqual(['new', 'fix']);
  });
  test('a project without sessions gets one, and one only', async () => {
    const p = sessionPage([]);
    p.current.settle();
    p.current.settle();
    await settled();
    expect(p.asked()).toBe(1);
  });
});

describe('attachments', () => {
  const log = { kind: 'paste', text: 'a log' } as const;
  test('go with the prompt to the session that is being made, and nowhere else', async () => {
    const p = sessionPage([summary('old')]);
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
    const p = sessionPage([summary('old')]);
    p.current.show('old');
    void p.current.startNew();
    p.drafts.attach(p.current.draftKey(), [log]);
    await p.made('new');
    expect(p.drafts.attached('new')).toEqual([log]);
  });
  test('that are still being read when the session is made go to it, each of them', async () => {
    const p = sessionPage([summary('old')]);
    p.current.show('old');
    void p.current.startNew();
    const add = (key: string) => p.drafts.attach(key, [...p.drafts.attached(key), log]);
    await p.current.withDraft(async (keyNow) => {
      add(keyNow());
      await p.made('new');
      add(keyNow());
    });
    expect(p.drafts.attached('new')).toEqual([log, log]);
    void p.current.startNew();
    expect(p.drafts.attached(p.current.draftKey())).toEqual([]);
  });
  test('come back when the prompt could not be sent', async () => {
    const p = sessionPage([summary('old')]);
    p.current.show('old');
    p.drafts.attach('old', [log]);
    p.refuse(err(fault('full', 'The queue is full.')));
    await p.current.submit('look');
    expect(p.drafts.attached('old')).toEqual([log]);
    expect(p.drafts.get('old')).toBe('look');
  });
});

describe('an earlier prompt that is edited', () => {
  /** A page on which one is sent again, and more is typed before the host has gone back to it. */
  const waiting = () => {
    const p = sessionPage([summary('a'), summary('b')]);
    p.current.show('a');
    p.type('a draft');
    p.revise('prompt-1');
    p.type('new words');
    const first = p.current.submit('new words');
    p.type('and more');
    return { ...p, first };
  };

  test('is left once the host has gone back; what was typed meanwhile goes on in the draft', async () => {
    const p = waiting();
    await p.wentBack();
    await p.first;
    expect(p.sent).toEqual([{ sessionId: 'a', text: 'new words' }]);
    expect(p.current.draftKey()).toBe('a');
    expect(p.drafts.get('a')).toBe('a draft\nand more');
  });

  test('stays open with all its words when going back fails', async () => {
    const p = waiting();
    await p.wentBack(err(fault('disk', 'No room.')));
    expect((await p.first).ok).toBe(false);
    expect(p.drafts.get(p.current.draftKey())).toBe('new words\nand more');
    expect(p.drafts.get('a')).toBe('a draft');
  });

  test.each([
    ['sends both in order', ok({ text: '' }), ['new words', 'and more'], 'a draft'],
    ['keeps both in order', err(fault('gone', 'Gone.')), [], 'a draft\nnew words\nand more'],
  ])('goes back once for a second message: %s', async (_, back, sent, draft) => {
    const p = waiting();
    const second = p.current.submit('and more');
    expect(await p.wentBack(back)).toBe(1);
    await Promise.all([p.first, second]);
    expect(p.sent.map(({ text }) => text)).toEqual(sent);
    expect(p.current.draftKey()).toBe('a');
    expect(p.drafts.get('a')).toBe(draft);
  });

  test('given up while the host goes back leaves the words of a failure in the draft', async () => {
    const p = waiting();
    endRevision(p, 'a');
    await p.wentBack(err(fault('disk', 'No room.')));
    await p.first;
    expect(p.drafts.get('a')).toBe('a draft\nnew words');
  });

  test('stays while one of another session is edited', () => {
    const p = sessionPage([summary('a'), summary('b')]);
    p.current.show('a');
    p.revise('prompt-1');
    p.type('words for a');
    p.current.show('b');
    p.revise('prompt-2');
    p.type('words for b');
    endRevision(p, 'b');
    p.current.show('a');
    expect(p.drafts.get(p.current.draftKey())).toBe('words for a');
  });
});
