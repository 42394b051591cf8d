import { describe, expect, it } from 'vitest';
import type { StopAnswer, StopFacts } from '../../../src/main/engine/loop/query-deps';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Script } from '../../support/scripted-api';
import {
  error,
  hold,
  raw,
  reply,
  reset,
  text,
  toolUse,
  truncated,
  wire,
} from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { endOf, ofType, reasonsOf, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const read = (path: string, id?: string) => toolUse('Read', { file_path: path }, id);
const said = (output_tokens: number) => ({ usage: { input_tokens: 10, output_tokens } });

describe('stop hooks', () => {
  const hooks = (verdicts: readonly StopAnswer[]) => {
    const asked: StopFacts[] = [];
    const stopHooks = async (facts: StopFacts): Promise<StopAnswer> => {
      asked.push(facts);
      return verdicts[asked.length - 1] ?? { kind: 'pass' };
    };
    return { asked, stopHooks };
  };

  it('let the query end, are asked with its last words, and not between turns', async () => {
    const { asked, stopHooks } = hooks([]);
    const t = await start([reply([read('/nowhere/x')]), reply('All done.')], { stopHooks });
    expect(endOf(await t.run('go')).terminal).toBe('completed');
    expect(asked).toEqual([{ text: 'All done.', stopHookActive: false }]);
  });

  it('send the model back to work with their words', async () => {
    const { asked, stopHooks } = hooks([{ kind: 'block', message: 'The tests were not run.' }]);
    const t = await start([reply('Done.'), reply('Now it is.')], { stopHooks });
    const events = await t.run('go');
    expect(reasonsOf(events)).toEqual(['stop_hook_blocking']);
    expect(saidIn(t.api, 1)).toContain('The tests were not run.');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Now it is.', turns: 2 });
    expect(asked.map((facts) => facts.stopHookActive)).toEqual([false, true]);
  });

  it('cannot go on beyond the turn limit', async () => {
    const { stopHooks } = hooks([{ kind: 'block', message: 'more' }]);
    const limits = { maxTurns: 1, maxBudgetUsd: null };
    const t = await start([reply('Done.')], { stopHooks, limits });
    expect(endOf(await t.run('go')).terminal).toBe('max_turns');
  });

  it('end the query, whatever its token budget says', async () => {
    const { stopHooks } = hooks([{ kind: 'prevent', reason: 'It is past six.' }]);
    const t = await start([reply('Done.')], { stopHooks });
    expect(endOf(await t.run('use 500k tokens'))).toMatchObject({
      terminal: 'stop_hook_prevented',
      text: 'It is past six.',
    });
  });

  it('are not asked after an error', async () => {
    const { asked, stopHooks } = hooks([{ kind: 'block', message: 'try again' }]);
    const t = await start([error(403, 'no')], { stopHooks });
    expect(endOf(await t.run('go')).terminal).toBe('model_error');
    expect(asked).toEqual([]);
  });

  it('can be waited for no longer than the user likes', async () => {
    const t = await start([reply('Done.'), reply('ok')], {
      stopHooks: (_facts, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ kind: 'block', message: 'late' }));
          t.session.main.engine.interrupt();
        }),
    });
    expect(endOf(await t.run('go')).terminal).toBe('aborted_tools');
  });
});

describe('a token budget', () => {
  it('makes the model go on until about all of it is spent', async () => {
    const t = await start(() => reply('A bit more.', said(40_000)));
    const events = await t.run('Look into everything, use 100k tokens');
    expect(reasonsOf(events)).toEqual(['token_budget_continuation', 'token_budget_continuation']);
    expect(saidIn(t.api, 1)).toContain('100000 tokens; 40000 (40 %)');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', turns: 3 });
  });

  it('is given up when nudges bring nothing more', async () => {
    const t = await start(() => reply('Nothing to add.', said(30)));
    const events = await t.run('use 100k tokens');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', turns: 4 });
  });

  it('does not go beyond the turn limit, and the answer counts', async () => {
    const limits = { maxTurns: 2, maxBudgetUsd: null };
    const t = await start(() => reply('More.', said(1_000)), { limits });
    const events = await t.run('use 100k tokens');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', turns: 2, text: 'More.' });
  });
});

describe('a query that a limit stopped', () => {
  const goOn = async (t: TestSession) => {
    const events: AgentEvent[] = [];
    for await (const { event } of t.session.main.engine.continueWork()) events.push(event);
    return events;
  };

  it('goes on with a fresh limit of turns, and the model is told', async () => {
    const t = await start(
      (_request, number) => (number < 3 ? reply([read(`/nowhere/${number}`)]) : reply('Done.')),
      { limits: { maxTurns: 2, maxBudgetUsd: null } },
    );
    expect(endOf(await t.run('go')).terminal).toBe('max_turns');
    const events = await goOn(t);
    expect(reasonsOf(events)).toEqual(['limit_lifted', 'next_turn']);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Done.', turns: 2 });
    expect(saidIn(t.api, 2)).toContain('lets the work go on with fresh limits');
    const told = t.session.log.transcript().committed.filter((item) => item.kind === 'divider');
    expect(told.map(({ code }) => code)).toEqual(['limit_lifted']);
  });

  it('goes on with a fresh budget, also after a restart', async () => {
    const usage = { input_tokens: 1000, output_tokens: 100_000 };
    const t = await start(
      (_request, number) =>
        number < 2 ? reply([read(`/nowhere/${number}`)], { usage }) : reply('Done.'),
      { limits: { maxTurns: null, maxBudgetUsd: 0.5 } },
    );
    expect(endOf(await t.run('go')).terminal).toBe('max_budget');
    expect(endOf(await t.run('and?'))).toMatchObject({ terminal: 'max_budget', turns: 0 });
    const lifted = await goOn(t);
    expect(endOf(lifted)).toMatchObject({ terminal: 'max_budget', turns: 1 });
    const told = ofType(lifted, 'attachment').map(({ kind }) => kind);
    expect(told).toContain('limit_lifted');
    expect(told).not.toContain('budget');
    await t.reopen();
    expect(endOf(await goOn(t))).toMatchObject({ terminal: 'completed', text: 'Done.' });
  });
});

describe('a model without a known price', () => {
  const used = { input_tokens: 1000, output_tokens: 100_000 };
  const limits = { maxTurns: null, maxBudgetUsd: 0.5 };
  const named = (model: string, usage?: object): Script => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage };
    return () =>
      raw(
        wire({ type: 'message_start', message }),
        wire({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
        wire({ type: 'message_stop' }),
      );
  };
  const told = (events: readonly AgentEvent[]) =>
    ofType(events, 'notice').flatMap(({ code, text: words }) =>
      code === 'unpriced' ? [words] : [],
    );

  it('is paid as the one that was asked for, so that a limit of dollars holds', async () => {
    const t = await start(named('glm-9-air', used), { limits });
    const events = [...(await t.run('go')), ...(await t.run('and?'))];
    expect(endOf(events).terminal).toBe('max_budget');
    expect(told(events)).toEqual([]);
  });

  it('is told once where a limit of dollars cannot hold', async () => {
    const t = await start(named('glm-9-air', used), { limits });
    t.session.configure({ model: 'glm-9' });
    const events = [...(await t.run('go')), ...(await t.run('and?'))];
    expect(endOf(events).terminal).toBe('completed');
    expect(told(events)).toEqual([
      expect.stringContaining('What answers of glm-9-air cost is not known'),
    ]);
  });

  it('is like one that does not say what it used', async () => {
    const t = await start(named('claude-sonnet-5-5'), { limits });
    expect(told(await t.run('go'))).toHaveLength(1);
  });

  it('is no matter in the demo', async () => {
    const t = await start(named('lathe-demo', used), { limits });
    t.session.configure({ model: 'lathe-demo' });
    expect(told(await t.run('go'))).toEqual([]);
  });

  it('is no matter where no dollars are limited', async () => {
    const t = await start(named('glm-9-air', used));
    t.session.configure({ model: 'glm-9' });
    expect(told(await t.run('go'))).toEqual([]);
  });
});

describe('the same call again and again', () => {
  it('ends the query after the fifth and says so to user and model', async () => {
    const t = await start((_request, number) =>
      number < 6 ? reply([read('/nowhere/same')]) : reply('Something else then.'),
    );
    const events = await t.run('go');
    expect(endOf(events)).toMatchObject({ terminal: 'repeated_calls', turns: 5 });
    expect(endOf(events).text).toMatch(/Read was called with the same input 5 times in a row/);
    await t.run('why?');
    expect(saidIn(t.api, 5)).toContain('5 times in a row');
  });

  it('does not mind other calls in between', async () => {
    const t = await start((_request, number) =>
      number < 8 ? reply([read(`/nowhere/${number % 2}`)]) : reply('done'),
    );
    expect(endOf(await t.run('go')).terminal).toBe('completed');
  });
});

describe('how an answer can stop', () => {
  it('paused by the server: the same content goes back, nothing in between', async () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const t = await start([
      reply(['Looking. ', { kind: 'raw', start: search, deltas: [] }], {
        stopReason: 'pause_turn',
      }),
      reply('Found it.'),
      reply('Noted.'),
    ]);
    const events = [];
    for await (const { event } of t.session.main.engine.submit('search')) {
      events.push(event);
      if (event.type === 'message_finished' && event.stopReason === 'pause_turn') {
        t.session.main.engine.enqueue('and hurry', 'next');
      }
    }
    expect(reasonsOf(events)).toEqual(['next_turn', 'queued_prompt']);
    const last = t.api.requests[1]?.body.messages.at(-1);
    expect(last?.role).toBe('assistant');
    expect(JSON.stringify(last)).toContain('srvtoolu_1');
    expect(endOf(events).terminal).toBe('completed');
  });

  it('refused: one clear line, and the refused words are not sent again', async () => {
    const t = await start([reply('I would rather', { stopReason: 'refusal' }), reply('Sure.')]);
    const end = endOf(await t.run('do harm'));
    expect(end).toMatchObject({ terminal: 'model_error', stopReason: 'refusal' });
    expect(end.text).not.toBe('');
    await t.run('do good');
    expect(saidIn(t.api, 1)).not.toContain('would rather');
  });

  it('broken off after a call ran: goes on from its result, and runs nothing twice', async () => {
    const t = await start([
      reset(reply([read('/nowhere/x', 'c1'), text('and now I will')]), 8),
      reply('Done.'),
    ]);
    const events = await t.run('go');
    expect(ofType(events, 'call_settled').map((e) => e.callId)).toEqual(['c1']);
    expect(reasonsOf(events)).toEqual(['next_turn']);
    expect(ofType(events, 'notice')).toHaveLength(1);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Done.' });
  });

  it('broken off in a text behind a call: what came of it is part of the answer', async () => {
    const words = 'and now I will tell at length what is written there';
    const t = await start([truncated(reply([read('/nowhere/x'), text(words)]), 9), reply('Done.')]);
    const events = await t.run('go');
    const [called, said] = ofType(events, 'block_finished').map((e) => e.block);
    expect(called?.type).toBe('tool_use');
    expect(said?.type === 'text' && words.startsWith(said.text)).toBe(true);
    const types = events.map((e) => e.type);
    const whole = types.indexOf('message_finished');
    expect(types.slice(0, whole).filter((type) => type === 'block_finished')).toHaveLength(2);
    expect(t.api.requests[1]?.body.messages.map((m) => m.role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  it('an image the API refuses ends the query and does not spoil the next', async () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' },
    };
    const t = await start([error(400, 'image exceeds 5 MB maximum'), reply('Hello.')]);
    const events = [];
    const content = [{ type: 'text' as const, text: 'look' }, image];
    for await (const { event } of t.session.main.engine.submit(content)) events.push(event);
    expect(endOf(events).terminal).toBe('image_error');
    expect(endOf(await t.run('never mind')).terminal).toBe('completed');
    expect(saidIn(t.api, 1)).not.toContain('base64');
  });

  it('a limit of money counts what summaries cost', async () => {
    const t = await start(
      [
        reply([read('/nowhere/x')], { usage: { input_tokens: 985_000, output_tokens: 10 } }),
        reply('<summary>So far.</summary>', {
          usage: { input_tokens: 985_000, output_tokens: 10 },
        }),
        reply([read('/nowhere/y')], said(10)),
      ],
      { limits: { maxTurns: null, maxBudgetUsd: 3 } },
    );
    const end = endOf(await t.run('go'));
    expect(end.terminal).toBe('max_budget');
    expect(t.api.requests).toHaveLength(3);
  });
});

describe('stopping', () => {
  it('while the user is asked withdraws the question, and the call has its result', async () => {
    const t = await start([reply([read('/nowhere/x', 'c1')]), reply('fine')], {
      decision: 'ask',
      createBroker,
    });
    const events = [];
    for await (const { event } of t.session.main.engine.submit('go')) {
      events.push(event);
      if (event.type === 'approval_requested') t.session.main.engine.interrupt();
    }
    expect(endOf(events)).toMatchObject({ terminal: 'aborted_tools', text: 'Stopped by you.' });
    expect(ofType(events, 'call_settled')).toMatchObject([{ callId: 'c1', isError: true }]);
    expect(t.session.log.transcript().approvals).toEqual([]);
    expect(endOf(await t.run('go on')).terminal).toBe('completed');
  });

  it('while a summary is written keeps the conversation as it was', async () => {
    const t = await start((_request, number) => {
      if (number === 0) {
        return reply([read('/nowhere/x')], { usage: { input_tokens: 985_000, output_tokens: 9 } });
      }
      if (number > 1) return reply(number === 2 ? '<summary>All.</summary>' : 'fine');
      setImmediate(() => t.session.main.engine.interrupt());
      return reply([text('<summary>Half'), hold(new Promise(() => {}))]);
    });
    const events = await t.run('go');
    expect(endOf(events).terminal).toBe('aborted_streaming');
    expect(ofType(events, 'compacted')).toEqual([]);
    expect(ofType(events, 'notice')).toEqual([]);
    expect(endOf(await t.run('go on')).text).toBe('fine');
  });
});

describe('steering', () => {
  it('cuts the running turn for words wanted now, keeps what was said, and goes on', async () => {
    const t = await start([
      reply([text('Half a sentence'), hold(new Promise(() => {}))], { pieceChars: 4 }),
      reply('As you wish.'),
    ]);
    const events = [];
    let received = '';
    for await (const { event } of t.session.main.engine.submit('go')) {
      events.push(event);
      if (event.type !== 'block_delta' || received.length >= 8) continue;
      received += event.text;
      if (received.length >= 8) t.session.main.engine.enqueue('no, the other one', 'now');
    }
    expect(reasonsOf(events)).toEqual(['queued_prompt']);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'As you wish.' });
    expect(saidIn(t.api, 1)).toContain('no, the other one');
    expect(saidIn(t.api, 1)).toContain('Half a s');
  });

  it('sends edited prompts in their new order, without those taken back, later ones not at all', async () => {
    const t = await start([reply([read('/nowhere/x')]), reply('ok')]);
    const { engine } = t.session.main;
    for await (const { event } of engine.submit('go')) {
      if (event.type !== 'message_finished' || t.api.requests.length > 1) continue;
      const [a, b, c] = [
        engine.enqueue('first', 'next'),
        engine.enqueue('second', 'next'),
        engine.enqueue('third', 'next'),
      ];
      engine.enqueue('afterwards', 'later');
      engine.changeQueued(a?.id ?? '', { text: 'first, edited' });
      engine.changeQueued(c?.id ?? '', { place: 0 });
      expect(engine.takeBack(b?.id ?? '')?.text).toBe('second');
      expect(engine.changeQueued(b?.id ?? '', { place: 0 })).toBe(false);
    }
    const body = saidIn(t.api, 1);
    expect(body.indexOf('third')).toBeLessThan(body.indexOf('first, edited'));
    expect(body).toContain('third');
    expect(body).not.toMatch(/second|afterwards/);
    expect(engine.queue.map((p) => p.text)).toEqual(['afterwards']);
  });
});
