import { expect, test } from 'vitest';
import { exportSession } from '../../../src/main/engine/sessions/export';
import { allItems } from '../../../src/shared/transcript';
import { reply } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { endOf, ofType, saidIn, sessionsOfFile } from '../query/support';
import { hook, keeps, linesOf, prints, ran } from './support';

const open = sessionsOfFile();

/** Hides a word in what it is told, and keeps what it was told. */
const HIDES = `tee -a "$CLAUDE_PROJECT_DIR/parts" | sed -E 's/.*"delta":"(([^"\\\\]|\\\\.)*)".*/{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"\\1"}}/; s/secret/******/'`;

const textsOn = (t: TestSession) =>
  allItems(t.session.log.transcript()).flatMap((item) => (item.kind === 'text' ? item.text : []));

async function exported(t: TestSession) {
  const { sessionId } = t.session.log;
  await t.session.log.flush();
  const request = { sessionId, format: 'markdown', secrets: [], projects: [] } as const;
  let text = '';
  const { signal } = new AbortController();
  for await (const piece of exportSession(t.services.files, t.latheHome, request, signal))
    text += piece.ok ? piece.value : '';
  return text;
}

test('a hook replaces what is shown while it comes, and after a resume; the model and the log keep what was said', async () => {
  const said = 'The key is secret\nand long.\nKeep it.';
  const t = await open(() => reply(said, { pieceChars: 5 }), {
    ...{ attended: true, settings: { hooks: [hook('MessageDisplay', HIDES)] } },
  });
  const events = await t.run('one');
  const shown = said.replace('secret', '******');
  expect(textsOn(t)).toEqual([shown]);
  const parts = await linesOf(t, 'parts');
  expect(parts.map(({ delta }) => delta).join('')).toBe(said);
  expect(parts.map(({ index }) => index)).toEqual(parts.map((_, i) => i));
  expect(parts.map(({ final }) => final)).toEqual(parts.map((_, i) => i === parts.length - 1));
  for (const { delta, final } of parts) if (!final) expect(delta).toMatch(/\n$/);
  expect(
    ofType(events, 'text_shown')
      .map(({ text }) => text)
      .join(''),
  ).toBe(shown);
  expect(ofType(events, 'block_started')).toMatchObject([{ held: true }]);
  expect(endOf(events).text).toBe(said);
  expect(allItems(t.session.log.transcript()).map(({ kind }) => kind)).not.toContain('hook');
  const written = await exported(t);
  expect(written).toContain('The key is ******');
  expect(written).not.toContain('secret');
  await t.reopen();
  expect(textsOn(t)).toEqual([shown]);
  await t.run('two');
  expect(saidIn(t.api, -1)).toContain('The key is secret');
});

test('a hook that takes too long is cancelled after ten seconds, and the text is shown as it is', async () => {
  const t = await open(() => reply('One.\nTwo.\nThree.'), {
    ...{
      attended: true,
      settings: { hooks: [hook('MessageDisplay', `grep '"final":true' || sleep 300`)] },
    },
  });
  const told = ran(t, 'MessageDisplay');
  const started = new Promise<void>((resolve) => {
    t.session.log.listen(({ event }) => {
      if (event.type === 'hook_started') resolve();
    });
  });
  const running = t.run('one');
  await started;
  await t.clock.advance(9_999);
  expect(textsOn(t)).toEqual(['']);
  await t.clock.advance(1);
  expect(endOf(await running).terminal).toBe('completed');
  expect(await told).toMatchObject({
    outcome: 'failed',
    note: 'did not end within 10 s and was stopped',
  });
  expect(textsOn(t)).toEqual(['One.\nTwo.\nThree.']);
  await t.reopen({ hooks: [] });
  expect(textsOn(t)).toEqual(['One.\nTwo.\nThree.']);
});

test('where there is no such hook, or its work is cut, text is as the model wrote it', async () => {
  const t = await open(() => reply('One.\nTwo.'), {
    ...{
      attended: true,
      settings: { hooks: [hook('MessageDisplay', 'sleep 300')] },
    },
  });
  t.session.log.listen(({ event }) => {
    if (event.type === 'message_finished') t.session.main.engine.interrupt('stopped');
  });
  expect(endOf(await t.run('one')).terminal).not.toBe('completed');
  expect(textsOn(t)).toEqual(['One.\nTwo.']);
  await t.reopen({ hooks: [] });
  const events = await t.run('two');
  const held = ofType(events, 'block_started').map((event) => event.held);
  expect([held, ofType(events, 'text_shown')]).toEqual([[undefined], []]);
});

test('a hook beside it that fails at every part leaves it at work, and is one line in the conversation', async () => {
  const said = 'The key:\nsecret\nand long.\nKeep it.';
  const t = await open(() => reply(said, { pieceChars: 5 }), {
    ...{ attended: true },
    settings: {
      hooks: [
        hook('MessageDisplay', 'tee -a "$CLAUDE_PROJECT_DIR/failed" >&2; exit 1'),
        hook('MessageDisplay', `${HIDES}; echo chatter >&2`),
      ],
    },
  });
  await t.run('one');
  expect(textsOn(t)).toEqual([said.replace('secret', '******')]);
  const rows = () =>
    allItems(t.session.log.transcript()).flatMap((item) =>
      item.kind === 'hook' ? item.report.note : [],
    );
  expect(rows()).toEqual(['exit code 1']);
  await expect.poll(() => t.session.log.transcript().hooks).toEqual([]);
  const parts = await linesOf(t, 'failed');
  expect(parts.map(({ delta }) => delta).join('')).toBe(said);
  expect(parts.at(-1)).toMatchObject({ index: parts.length - 1, final: true });
  expect(rows()).toEqual(['exit code 1']);
});

test('of hooks that nobody waits for the model hears nothing, and each hears of a text once', async () => {
  const said = 'One.\nTwo.\nThree.';
  const words = prints({ systemMessage: 'Shown it.' });
  const t = await open(() => reply(said, { pieceChars: 3 }), {
    ...{ attended: true },
    settings: {
      hooks: [
        hook('MessageDisplay', `${keeps('later')}; ${words}`, { async: true }),
        hook('MessageDisplay', 'true'),
      ],
    },
  });
  await t.run('one');
  await expect.poll(() => t.session.log.transcript().hooks).toEqual([]);
  expect(await linesOf(t, 'later')).toMatchObject([{ index: 0, final: true, delta: said }]);
  await t.run('two');
  expect(saidIn(t.api, -1)).not.toContain('Shown it.');
  expect(allItems(t.session.log.transcript()).map(({ kind }) => kind)).not.toContain('hook');
});

test('where nobody reads what is shown, the answer does not wait for hooks', async () => {
  const t = await open(() => reply('Fine.'), {
    settings: {
      hooks: [hook('MessageDisplay', 'while [ ! -e go ]; do sleep 0.01; done')],
    },
    host: (plain) => ({ ...plain, wishes: { saidAlone: true } }),
  });
  expect(endOf(await t.run('one')).terminal).toBe('completed');
  const told = ran(t, 'MessageDisplay');
  await t.touch('go');
  expect(await told).toMatchObject({ outcome: 'done' });
});
