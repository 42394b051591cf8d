import { describe, expect, it } from 'vitest';
import { type ContextLayer, UNTOUCHED } from '../../../src/main/engine/context/layer';
import {
  type ErrorReply,
  error,
  reply,
  thinking,
  toolUse,
} from '../../support/scripted-api-replies';
import { endOf, maxTokensOf, ofType, reasonsOf, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const tooLong = error(400, 'prompt is too long: 1049600 tokens > 1000000 maximum');
const tooLarge = error(413, 'Request exceeds the maximum size');
const summary = reply('<summary>The task: count. So far: one.</summary>', {
  usage: { input_tokens: 1000, output_tokens: 500 },
});

describe('a prompt that is too long', () => {
  it.each<[string, ErrorReply]>([
    ['400', tooLong],
    ['413', tooLarge],
  ])('is summarised once and sent again, unseen by the user (%s)', async (_name, refusal) => {
    const t = await start([reply([thinking('hm'), 'One.']), refusal, summary, reply('Two.')]);
    await t.run('count');
    const events = await t.run('go on');
    expect(reasonsOf(events)).toEqual(['reactive_compact_retry']);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Two.', turns: 1 });
    expect(ofType(events, 'notice')).toEqual([]);
    expect(ofType(events, 'compacted')).toMatchObject([
      { summary: 'The task: count. So far: one.' },
    ]);
    const last = saidIn(t.api, 3);
    expect(last).toContain('So far: one.');
    expect(last).toContain('go on');
    expect(last).not.toContain('thinking');
    expect(last).not.toContain('"One."');
  });

  it('counts what the summary cost', async () => {
    const t = await start([reply('One.'), tooLong, summary, reply('Two.')]);
    await t.run('count');
    const events = await t.run('go on');
    const [side] = ofType(events, 'side_call');
    const [answer] = ofType(events, 'message_finished');
    expect(side).toMatchObject({ purpose: 'compaction', usage: { outputTokens: 500 } });
    expect(side?.costUsd).toBeGreaterThan(0);
    expect(endOf(events).costUsd).toBeCloseTo((side?.costUsd ?? 0) + (answer?.costUsd ?? 0), 12);
    const before = t.session.log.transcript();
    await t.reopen();
    expect(t.session.log.transcript()).toMatchObject({
      costs: before.costs,
    });
  });

  it('is an error when the summary did not help, and the session goes on', async () => {
    const t = await start([reply('One.'), tooLong, summary, tooLong, summary, reply('ok')]);
    await t.run('count');
    const events = await t.run('go on');
    expect(reasonsOf(events)).toEqual(['reactive_compact_retry']);
    expect(endOf(events)).toMatchObject({ terminal: 'prompt_too_long' });
    expect(endOf(events).text).toMatch(/too long/);
  });

  it('is an error when no summary can be had', async () => {
    const t = await start([reply('One.'), tooLong, error(403, 'no')]);
    await t.run('count');
    const events = await t.run('go on');
    expect(endOf(events).terminal).toBe('prompt_too_long');
    expect(ofType(events, 'notice')).toMatchObject([{ code: 'compaction_failed' }]);
    expect(ofType(events, 'compacted')).toEqual([]);
  });

  it('leaves its oldest part out of the summary when that is too long itself', async () => {
    const t = await start([
      reply(`Alpha ${'a'.repeat(400)}`),
      reply(`Beta ${'b'.repeat(400)}`),
      tooLong,
      tooLong,
      summary,
      reply('done'),
    ]);
    await t.run('first');
    await t.run('second');
    const events = await t.run('third');
    expect(endOf(events).terminal).toBe('completed');
    expect(saidIn(t.api, 3)).toContain('Alpha');
    expect(saidIn(t.api, 4)).not.toContain('Alpha');
    expect(saidIn(t.api, 4)).toContain('Beta');
  });

  it('drains pending collapses before it summarises', async () => {
    let folds = 2;
    const collapse: ContextLayer = {
      name: 'collapse',
      apply: () => UNTOUCHED,
      overflow: {
        retry: 'collapse_drain_retry',
        apply: async function* () {
          yield {
            type: 'notice',
            level: 'info',
            code: 'collapsed',
            text: `${folds} spans were folded.`,
          };
          const freed = folds * 100;
          folds = 0;
          return { edits: [], freed };
        },
      },
    };
    const layers = (standard: readonly ContextLayer[]) => [collapse, ...standard];
    const t = await start([reply('One.'), tooLong, tooLong, summary, reply('Two.')], { layers });
    await t.run('count');
    const events = await t.run('go on');
    expect(reasonsOf(events)).toEqual(['collapse_drain_retry', 'reactive_compact_retry']);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', turns: 1 });
  });

  it('goes on with an answer that the full window cut', async () => {
    const t = await start([
      reply('One.'),
      reply('Two and ', { stopReason: 'model_context_window_exceeded' }),
      summary,
      reply('three.'),
    ]);
    await t.run('count');
    const events = await t.run('go on');
    expect(reasonsOf(events)).toEqual(['reactive_compact_retry']);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Two and three.' });
  });
});

const nearlyFull = { input_tokens: 985_000, output_tokens: 100 };

describe('a window that fills up', () => {
  it('is summarised before the next request', async () => {
    const t = await start([
      reply([thinking('so'), toolUse('Read', { file_path: '/nowhere/x' }, 'c1')], {
        usage: nearlyFull,
      }),
      summary,
      reply('Done.'),
      reply('Nothing more.'),
    ]);
    const events = await t.run('count');
    expect(maxTokensOf(t.api)).toEqual([8192, 20_000, 8192]);
    expect(saidIn(t.api, 1)).toContain('<summary>');
    const [{ tokensBefore, tokensAfter } = { tokensBefore: 0, tokensAfter: 0 }] = ofType(
      events,
      'compacted',
    );
    expect(tokensBefore).toBeGreaterThan(985_000);
    expect(tokensAfter).toBeLessThan(10_000);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Done.' });
    await t.reopen();
    expect(endOf(await t.run('and now?')).terminal).toBe('completed');
    expect(saidIn(t.api, 3)).toContain('So far: one.');
  });

  it('keeps the recent part word for word, without thinking bound to the old prefix', async () => {
    const long = `${'first words '.repeat(400)}`;
    const t = await start([
      reply(long, { usage: { input_tokens: 100, output_tokens: 50 } }),
      reply([thinking('so'), 'Short answer.'], { usage: nearlyFull }),
      summary,
      reply([thinking('new'), 'Done.']),
      reply('Still fine.'),
    ]);
    await t.run('begin');
    await t.run('go on');
    await t.run('finish');
    const last = saidIn(t.api, 3);
    expect(last).toContain('Short answer.');
    expect(last).not.toContain('first words');
    expect(endOf(await t.run('more')).terminal).toBe('completed');
  });

  it('stops trying after three failures in a row, and says so once', async () => {
    const t = await start((_request, number) =>
      number === 0
        ? reply([toolUse('Read', { file_path: '/nowhere/0' })], { usage: nearlyFull })
        : number < 6 && number % 2 === 1
          ? error(403, 'no summaries today')
          : number < 8
            ? reply([toolUse('Read', { file_path: `/nowhere/${number}` })], { usage: nearlyFull })
            : reply('Done.', { usage: nearlyFull }),
    );
    const events = await t.run('go');
    expect(ofType(events, 'notice').map((e) => e.code)).toEqual([
      'autocompact_failed',
      'autocompact_failed',
      'autocompact_off',
    ]);
    expect(endOf(events).terminal).toBe('completed');
  });

  it('sends nothing more when it is full and may not be summarised', async () => {
    const t = await start(
      [
        reply([toolUse('Read', { file_path: '/nowhere/x' })], {
          usage: { input_tokens: 990_000, output_tokens: 100 },
        }),
      ],
      { autocompact: () => ({ enabled: false }) },
    );
    const events = await t.run('go');
    expect(endOf(events)).toMatchObject({ terminal: 'blocking_limit' });
    expect(endOf(events).text).toMatch(/context window is full/);
    expect(t.api.requests).toHaveLength(1);
  });

  it('is summarised earlier when the user set a smaller window', async () => {
    const t = await start(
      [
        reply([toolUse('Read', { file_path: '/nowhere/x' })], {
          usage: { input_tokens: 390_000, output_tokens: 100 },
        }),
        summary,
        reply('Done.'),
      ],
      { autocompact: () => ({ enabled: true, windowTokens: 400_000 }) },
    );
    const events = await t.run('go');
    expect(ofType(events, 'compacted')).toHaveLength(1);
    expect(endOf(events).terminal).toBe('completed');
  });
});
