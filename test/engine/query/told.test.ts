import { expect, it } from 'vitest';
import { allItems, type Item, type Transcript } from '../../../src/shared/transcript';
import { error, reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, reasonsOf, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();

/** Returns what a row shows; ids and times of rows may differ after a restart. */
const shown = (item: Item): unknown => {
  switch (item.kind) {
    case 'prompt':
    case 'text':
    case 'thinking':
      return [item.kind, item.text];
    case 'call':
      return [item.kind, item.tool, item.status, item.title, item.view];
    case 'divider':
      return [item.kind, item.code, item.level, item.text];
    case 'end':
      return [item.kind, item.terminal, item.text, item.turns];
  }
};
const rowsOf = (t: Transcript) => allItems(t).map(shown);

it('what happened on the way is told alike before and after a restart', async () => {
  let blocked = false;
  const t = await start(
    [
      error(529, 'busy'),
      error(529, 'busy'),
      reply('Cut', { stopReason: 'max_tokens' }),
      reply('Cut again', { stopReason: 'max_tokens' }),
      reply([', whole.', toolUse('Read', { file_path: '/nowhere/x' }, 'c1')]),
      reply('Done?'),
      reply('Done.'),
      error(413, 'too large'),
      reply('<summary>All.</summary>'),
      reply('Fine.'),
    ],
    {
      stopHooks: async () => {
        if (blocked) return { kind: 'pass' };
        blocked = true;
        return { kind: 'block', message: 'not yet' };
      },
    },
  );
  t.session.log.listen(({ event }) => {
    if (event.type === 'retry_waiting') setImmediate(() => t.session.main.engine.retryNow());
  });
  const events = await t.run('go');
  expect(reasonsOf(events)).toEqual([
    'max_output_tokens_escalate',
    'max_output_tokens_recovery',
    'next_turn',
    'stop_hook_blocking',
  ]);
  await t.run('go on');
  const before = rowsOf(t.session.log.transcript());
  const codes = allItems(t.session.log.transcript()).flatMap((item) =>
    item.kind === 'divider' ? [item.code] : [],
  );
  expect(codes).toEqual([
    'retried',
    'max_output_tokens_escalate',
    'max_output_tokens_recovery',
    'stop_hook_blocking',
    'compacted',
  ]);
  await t.reopen();
  expect(rowsOf(t.session.log.transcript())).toEqual(before);
});

it('a server that pauses its own work again and again is not asked for ever', async () => {
  const search = (n: number) => ({
    kind: 'raw' as const,
    start: { type: 'server_tool_use', id: `srvtoolu_${n}`, name: 'web_search', input: {} },
    deltas: [],
  });
  const t = await start((_request, number) =>
    number < 11
      ? reply([`Part ${number}.`, search(number)], { stopReason: 'pause_turn' })
      : reply('Well.'),
  );
  const events = await t.run('go');
  expect(t.api.requests).toHaveLength(11);
  expect(endOf(events)).toMatchObject({ terminal: 'model_error' });
  expect(endOf(events).text).toMatch(/paused its own work 11 times in a row/);
  expect(endOf(await t.run('go on')).text).toBe('Well.');
});

it('a refusal is one clear line, leaves the conversation, and the next prompt is answered', async () => {
  const t = await start([reply('I will not.', { stopReason: 'refusal' }), reply('Gladly.')]);
  const events = await t.run('do it');
  expect(endOf(events)).toMatchObject({ terminal: 'model_error', stopReason: 'refusal' });
  expect(endOf(events).text).toBe(
    'The model declined to answer this. Say it differently, or leave it out. It said: I will not.',
  );
  expect(endOf(await t.run('something else')).text).toBe('Gladly.');
  expect(saidIn(t.api, 1)).not.toContain('I will not.');
});
