import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { error, hold, reply, text } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { endOf, ofType, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const summary = reply('<summary>The task: count. So far: one.</summary>', {
  usage: { input_tokens: 1000, output_tokens: 500 },
});

async function compacted(t: TestSession, focus?: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of t.session.main.engine.compact(focus)) events.push(event);
  return events;
}

describe('a summary by hand', () => {
  it('replaces the conversation, keeps what the user wants, and costs what it costs', async () => {
    const t = await start([reply('One.'), summary, reply('Two.')]);
    await t.run('count');
    const events = await compacted(t, 'the numbers');
    expect(saidIn(t.api, 1)).toContain('Above all keep what concerns this: the numbers');
    expect(events.map((e) => e.type)).toEqual([
      'query_started',
      'compaction_started',
      'side_call',
      'compacted',
      // The words of the user stay.
      'attachment',
      'compaction_ended',
      'context_changed',
      'query_finished',
    ]);
    const [done] = ofType(events, 'compacted');
    const [ended] = ofType(events, 'compaction_ended');
    expect(done?.trigger).toBe('manual');
    expect(ended).toEqual({
      type: 'compaction_ended',
      trigger: 'manual',
      outcome: 'compacted',
      tokensBefore: done?.tokensBefore,
      tokensAfter: done?.tokensAfter,
    });
    expect(endOf(events)).toMatchObject({ terminal: 'completed', turns: 0 });
    expect(endOf(events).text).toMatch(
      /^The conversation was summarised: [\d,]+ tokens became [\d,]+\.$/,
    );
    expect(endOf(events).costUsd).toBe(ofType(events, 'side_call')[0]?.costUsd);
    expect(t.session.main.engine.isRunning).toBe(false);
    expect(endOf(await t.run('go on')).text).toBe('Two.');
    expect(saidIn(t.api, 2)).toContain('So far: one.');
  });

  it('changes nothing when it fails, and its end says why', async () => {
    const t = await start([reply('One.'), error(403, 'no'), reply('Two.')]);
    await t.run('count');
    const events = await compacted(t);
    expect(ofType(events, 'compacted')).toEqual([]);
    expect(ofType(events, 'compaction_ended')).toMatchObject([
      { outcome: 'failed', why: expect.stringMatching(/./) },
    ]);
    expect(endOf(events).terminal).toBe('model_error');
    expect(endOf(events).text).toMatch(/could not be summarised and is as it was: .*403/);
    expect(endOf(await t.run('go on')).terminal).toBe('completed');
    expect(saidIn(t.api, -1)).toContain('One.');
  });

  it('can be stopped while the summary is written; the conversation is as it was', async () => {
    const t = await start((_request, number) => {
      if (number !== 1) return reply(number === 0 ? 'One.' : 'Two.');
      setImmediate(() => t.session.main.engine.interrupt());
      return reply([text('<summary>Half'), hold(new Promise(() => {}))]);
    });
    await t.run('count');
    const events: AgentEvent[] = [];
    for await (const { event } of t.session.main.engine.compact()) {
      events.push(event);
      if (event.type === 'compaction_started')
        expect(t.session.log.transcript().compacting).toMatchObject({ trigger: 'manual' });
    }
    expect(ofType(events, 'compacted')).toEqual([]);
    expect(ofType(events, 'compaction_ended')).toMatchObject([{ outcome: 'aborted' }]);
    expect(endOf(events)).toMatchObject({ terminal: 'aborted_streaming', text: 'Stopped by you.' });
    expect(t.session.log.transcript().compacting).toBeNull();
    expect(endOf(await t.run('go on')).terminal).toBe('completed');
    expect(saidIn(t.api, -1)).toContain('One.');
  });

  it('says so when there is nothing to summarise, and asks nobody', async () => {
    const t = await start([]);
    const events = await compacted(t);
    expect(endOf(events)).toMatchObject({ terminal: 'completed' });
    expect(endOf(events).text).toMatch(/nothing to summarise yet/);
    expect(t.api.requests).toEqual([]);
  });
});

it('a summary that Lathe makes by itself is shown while it is written', async () => {
  const t = await start([
    reply('One.', { usage: { input_tokens: 985_000, output_tokens: 100 } }),
    summary,
    reply('Two.'),
  ]);
  await t.run('count');
  const events = await t.run('go on');
  const [began] = ofType(events, 'compaction_started');
  expect(began).toMatchObject({ trigger: 'auto' });
  expect(began?.tokensBefore).toBeGreaterThan(985_000);
  expect(ofType(events, 'compaction_ended')).toMatchObject([
    { trigger: 'auto', outcome: 'compacted', tokensBefore: began?.tokensBefore },
  ]);
});
