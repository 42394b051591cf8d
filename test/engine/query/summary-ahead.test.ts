import { describe, expect, it } from 'vitest';
import { createEchoTool } from '../../support/echo-tool';
import type { RecordedRequest } from '../../support/scripted-api';
import { error, hold, type Reply, reply, text, toolUse } from '../../support/scripted-api-replies';
import type { TestSession, TestSessionOptions } from '../../support/session';
import { endOf, ofType, sessionsOfFile } from './support';

const start = sessionsOfFile();

/** Folded from 93 867 tokens on, and summarised from 98 808. */
const NEAR = 95_000;
const FULL = 99_000;
const OPTIONS = {
  autocompact: () => ({ enabled: true, windowTokens: 120_000 }),
  tools: [createEchoTool()],
};

const isSummary = ({ body }: RecordedRequest): boolean =>
  JSON.stringify(body.messages.at(-1)).includes('about to be replaced by a summary');
const summary = (words = 'All so far.') =>
  reply(`<summary>${words}</summary>`, { usage: { input_tokens: 500, output_tokens: 50 } });
const echo = (id: string, tokens: number, words?: string): Reply =>
  reply(
    [
      ...(words === undefined ? [] : [words]),
      toolUse('Echo', { text: `said in ${id}`, times: 1 }, `call_${id}`),
    ],
    {
      usage: { input_tokens: tokens, output_tokens: 10 },
    },
  );

/** Starts a session in which summaries are answered apart from the turns. */
async function talk(
  turns: readonly Reply[],
  summaries: (number: number) => Reply | Promise<Reply>,
  options: TestSessionOptions = {},
): Promise<TestSession & { readonly asked: () => readonly RecordedRequest[] }> {
  let turn = 0;
  let written = 0;
  const t = await start(
    (request) => (isSummary(request) ? summaries(written++) : (turns[turn++] ?? reply('done'))),
    { ...OPTIONS, ...options },
  );
  return Object.assign(t, { asked: () => t.api.requests.filter(isSummary) });
}

const said = (request: RecordedRequest | undefined) => JSON.stringify(request?.body.messages);

describe('a summary written ahead', () => {
  it('is asked for beside the work, and used when it is due', async () => {
    const t = await talk(
      [echo('zero', 9_000, 'Working on it.'), echo('one', NEAR), echo('two', FULL), reply('Done.')],
      () => summary(),
    );
    const events = await t.run('begin here');
    expect(t.asked()).toHaveLength(1);
    expect(ofType(events, 'compacted')).toMatchObject([{ ahead: true, summary: 'All so far.' }]);
    expect(ofType(events, 'side_call')).toMatchObject([
      { purpose: 'summary ahead', usage: { inputTokens: 500, outputTokens: 50 } },
    ]);
    const [asked] = t.asked();
    expect(said(asked)).not.toContain('said in two');
    const last = said(t.api.requests.at(-1));
    expect(last).toContain('All so far.');
    expect(last).toContain('said in two');
    expect(last).not.toContain('Working on it.');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Done.' });
    const { costs } = t.session.log.transcript();
    await t.reopen();
    expect(t.session.log.transcript().costs).toEqual(costs);
  });

  it('is waited for when it is due before it is there, and does not hold up the turn meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await talk([echo('one', NEAR), echo('two', FULL), reply('Done.')], () =>
      reply([hold(gate.promise), text('<summary>All so far.</summary>')]),
    );
    t.session.log.listen(({ event }) => {
      if (event.type === 'compaction_started') gate.resolve();
    });
    const events = await t.run('begin');
    expect(t.asked()).toHaveLength(1);
    expect(ofType(events, 'compacted')).toMatchObject([{ ahead: true }]);
  });

  it('outlives its query, and is stopped with the agent', async () => {
    const never = new Promise(() => {});
    const t = await talk([echo('one', NEAR), reply('Done.')], () =>
      reply([hold(never), text('never')]),
    );
    expect(endOf(await t.run('begin')).terminal).toBe('completed');
    expect(t.asked()).toHaveLength(1);
    // Closing waits for what goes on beside: it would not return otherwise.
    await t.reopen();
    expect(t.session.log.transcript().draft).toBeNull();
  });

  it('fails without a word; the summary is then written when it is due', async () => {
    const t = await talk([echo('one', NEAR), echo('two', FULL), reply('Done.')], (number) =>
      number === 0 ? error(403, 'no') : summary('Written in time.'),
    );
    const events = await t.run('begin');
    expect(ofType(events, 'notice')).toEqual([]);
    expect(ofType(events, 'compacted')).toMatchObject([{ summary: 'Written in time.' }]);
    expect(ofType(events, 'compacted')[0]?.ahead).toBeUndefined();
    expect(endOf(events).terminal).toBe('completed');
  });

  it('is left out where the limit of money is near', async () => {
    const limits = { maxTurns: null, maxBudgetUsd: 0.9 };
    const t = await talk(
      [echo('one', NEAR), reply('Done.', { usage: { input_tokens: NEAR, output_tokens: 9 } })],
      () => summary(),
      { limits },
    );
    expect(endOf(await t.run('begin')).terminal).toBe('completed');
    expect(t.asked()).toHaveLength(0);
  });
});
