import { describe, expect, it } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import type { ContextAct } from '../../../src/shared/context-act';
import { ok } from '../../../src/shared/result';
import { allItems } from '../../../src/shared/transcript';
import { reply } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
/** Long enough to be in the part that a summary replaces. */
const one = reply(`The first answer. ${'word '.repeat(2_000)}`);
const summary = reply('<summary>So far: much.</summary>');

/** Carries out an act as a window does, and waits until nothing runs. */
async function act(t: TestSession, given: ContextAct) {
  const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  const { log } = t.session;
  const ended = new Promise<void>((resolve) => {
    const unlisten = log.listen(({ event }) => {
      const isEnd = event.type === 'query_finished' || event.type === 'message_pinned';
      if (!isEnd && !(event.type === 'summary_drafted' && event.draft === null)) return;
      unlisten();
      resolve();
    });
  });
  const done = await runtime.changeContext(given);
  if (done.ok) await ended;
  // The end of the query is recorded before its pump has come down.
  while (t.session.main.engine.isRunning) await new Promise(setImmediate);
  return done;
}
const transcript = (t: TestSession) => t.session.log.transcript();

describe('a summary that a user looks at first', () => {
  it('replaces nothing until they take it, and then says what they made of it', async () => {
    const t = await start([one, reply('b'), summary, reply('Two.'), reply('Three.')]);
    await t.run('count');
    await t.run('further');
    expect(await act(t, { kind: 'draft', focus: 'numbers' })).toEqual(ok(null));
    expect(saidIn(t.api, 2)).toContain('numbers');
    expect(transcript(t).draft).toMatchObject({ summary: 'So far: much.' });
    await t.run('go on');
    expect(saidIn(t.api, 3)).toContain('The first answer.');
    await t.reopen();
    await act(t, { kind: 'apply', summary: 'Counted to one, and no further.' });
    expect(transcript(t).draft).toBeNull();
    await t.run('more');
    const said = saidIn(t.api, 4);
    expect(said).toContain('Counted to one, and no further.');
    expect(said).not.toContain('So far: much.');
    expect(said).not.toContain('The first answer.');
    // What was said since the draft stays behind it.
    expect(said).toContain('Two.');
  });

  it('ends where they choose', async () => {
    const t = await start([one, reply('Two.'), reply('Three.'), summary, reply('Four.')]);
    for (const words of ['count', 'further', 'and on']) await t.run(words);
    const prompts = allItems(transcript(t)).filter(({ kind }) => kind === 'prompt');
    await act(t, { kind: 'draft', until: prompts[1]?.id });
    expect(saidIn(t.api, 3)).toContain('The first answer.');
    expect(saidIn(t.api, 3)).not.toContain('Two.');
    await act(t, { kind: 'apply', summary: 'Counted to one.' });
    await t.run('more');
    const said = saidIn(t.api, 4);
    expect(said).toContain('Counted to one.');
    expect(said).not.toContain('The first answer.');
    expect(said).toContain('Two.');
    // The first message that stays cannot be one that went.
    await act(t, { kind: 'draft', until: prompts[0]?.id });
    expect(transcript(t).draft).toBeNull();
    expect(allItems(transcript(t)).at(-1)).toMatchObject({
      text: expect.stringContaining('A summary cannot end at that message'),
    });
  });

  it('goes when they do not want it', async () => {
    const t = await start([one, summary, reply('Two.')]);
    await t.run('count');
    await act(t, { kind: 'draft' });
    await act(t, { kind: 'discard' });
    expect(transcript(t).draft).toBeNull();
    expect(await act(t, { kind: 'discard' })).toMatchObject({ ok: false });
    await t.run('go on');
    expect(saidIn(t.api, 2)).toContain('The first answer.');
  });
});

describe('a summary that a user takes back', () => {
  it('leaves the conversation as it was, also after a restart', async () => {
    const t = await start([
      one,
      reply('b'),
      summary,
      reply('Two.'),
      reply('Three.'),
      reply('Four.'),
    ]);
    await t.run('count');
    await t.run('further');
    for await (const _ of t.session.main.engine.compact());
    await t.run('go on');
    expect(saidIn(t.api, 3)).not.toContain('The first answer.');
    const row = transcript(t).committed.find((item) => item.kind === 'divider' && item.summary);
    const summaryId = row?.kind === 'divider' ? (row.summary ?? '') : '';
    expect(await act(t, { kind: 'undo', summaryId })).toEqual(ok(null));
    await t.run('more');
    const said = saidIn(t.api, 4);
    expect(said).toContain('The first answer.');
    expect(said).toContain('"Two."');
    expect(said).not.toContain('So far: much.');
    await t.reopen();
    await t.run('and more');
    expect(saidIn(t.api, 5).startsWith(said.slice(0, said.indexOf('Two.')))).toBe(true);
    const rows = transcript(t).committed;
    expect(rows.some((item) => item.kind === 'divider' && item.summary === summaryId)).toBe(false);
  });
});

describe('what stays word for word behind a summary', () => {
  it('is what a user pinned, and their own words, also behind the next summary', async () => {
    const t = await start([
      reply('The password is swordfish.'),
      reply(`Unimportant. ${'word '.repeat(2_000)}`),
      reply('b'),
      summary,
      reply('Two.'),
      summary,
      reply('Three.'),
    ]);
    await t.run('please remember it');
    const pinned = t.session.main.state.history().find(({ role }) => role === 'assistant');
    expect(await act(t, { kind: 'pin', messageId: pinned?.id ?? '', pinned: true })).toEqual(
      ok(null),
    );
    expect(await act(t, { kind: 'pin', messageId: 'nothing', pinned: true })).toMatchObject({
      ok: false,
    });
    await t.run('something else');
    await t.run('further');
    for await (const _ of t.session.main.engine.compact());
    await t.run('go on');
    for (const request of [4]) {
      expect(saidIn(t.api, request)).toContain('The password is swordfish.');
      expect(saidIn(t.api, request)).toContain('please remember it');
      expect(saidIn(t.api, request)).not.toContain('Unimportant.');
    }
    for await (const _ of t.session.main.engine.compact());
    await t.run('on and on');
    expect(saidIn(t.api, 6)).toContain('The password is swordfish.');
    expect(saidIn(t.api, 6)).toContain('something else');
    await act(t, { kind: 'pin', messageId: pinned?.id ?? '', pinned: false });
    expect(transcript(t).pins).toEqual([]);
  });
});
