import { describe, expect, test } from 'vitest';
import { err, fault, ok } from '../../../src/shared/result';
import { sessionPage, settled, summary } from './support/session-page';

describe('without a connection', () => {
  const log = { kind: 'paste', text: 'a log' } as const;

  test('messages wait in order, with what they carry, and go out once when it is back', async () => {
    const p = sessionPage([summary('a')]);
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
    const p = sessionPage([summary('a')]);
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
    const p = sessionPage([summary('a')]);
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
    const p = sessionPage([summary('old')]);
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
    const p = sessionPage([]);
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
    const p = sessionPage([summary('a')]);
    p.current.show('a');
    await p.disconnect();
    for (let n = 1; n <= 50; n += 1) expect((await p.current.submit(`${n}`)).ok).toBe(true);
    expect((await p.current.submit('too much')).ok).toBe(false);
    expect(p.drafts.get('a')).toBe('too much');
    expect(p.unsent()).toHaveLength(50);
  });
});
