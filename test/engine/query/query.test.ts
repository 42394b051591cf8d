import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { forkLog, resumeLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Script } from '../../support/scripted-api';
import {
  hold,
  reply,
  text,
  thinking,
  toolUse,
  toolUseJson,
} from '../../support/scripted-api-replies';
import {
  openTestSession,
  type TestSession,
  type TestSessionOptions,
  typesOf,
} from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const start = async (script: Script, options: TestSessionOptions = {}): Promise<TestSession> => {
  open = await openTestSession(script, {
    tools: [createReadTool(), createEditTool()],
    ...options,
  });
  return open;
};
const finished = (events: readonly AgentEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== 'query_finished') throw new Error('The query has no end.');
  return last;
};
const resultsIn = (body: { readonly messages: readonly unknown[] }) =>
  JSON.stringify(body.messages).match(/"type":"tool_result"/g)?.length ?? 0;

describe('a query', () => {
  it('answers, and says every step in order', async () => {
    const t = await start([reply([thinking('hm'), 'Hello, world'])]);
    const events = await t.run('hi');
    expect(typesOf(events)).toEqual([
      'query_started',
      'user_message',
      'turn_started',
      'message_started',
      'block_started',
      'block_finished',
      'block_started',
      'block_finished',
      'message_finished',
      'query_finished',
    ]);
    expect(finished(events)).toMatchObject({
      terminal: 'completed',
      text: 'Hello, world',
      turns: 1,
      stopReason: 'end_turn',
    });
  });

  it('reads, edits and answers; the request bodies are what the API wants', async () => {
    const t = await start((_request, number) => {
      const file = join(t.project, 'a.txt');
      if (number === 0) return reply([toolUse('Read', { file_path: file })]);
      if (number === 1) {
        return reply([toolUse('Edit', { file_path: file, old_string: 'one', new_string: 'two' })]);
      }
      return reply('Done.');
    });
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    const events = await t.run('change it');
    expect(finished(events)).toMatchObject({ terminal: 'completed', turns: 3 });
    expect(await readFile(join(t.project, 'a.txt'), 'utf8')).toBe('two\n');
    expect(events.filter((e) => e.type === 'continued')).toEqual([
      { type: 'continued', reason: 'next_turn' },
      { type: 'continued', reason: 'next_turn' },
    ]);
    for (const { body } of t.api.requests) {
      expect(JSON.stringify(body).match(/"cache_control"/g)?.length).toBeLessThanOrEqual(4);
      expect(body.tools?.map((tool) => tool.name)).toEqual(['Edit', 'Read']);
    }
    expect(t.api.requests.map((r) => resultsIn(r.body))).toEqual([0, 1, 2]);
  });

  it('starts a tool while the answer still streams', async () => {
    let release: () => void = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const t = await start((_request, number) =>
      number === 0
        ? reply([toolUse('Read', { file_path: '/nowhere/x' }), hold(until), text('after')])
        : reply('ok'),
    );
    const seen: string[] = [];
    for await (const { event } of t.session.main.engine.submit('go')) {
      seen.push(event.type);
      if (event.type === 'call_settled') release();
    }
    expect(seen.indexOf('call_settled')).toBeLessThan(seen.indexOf('message_finished'));
  });

  it('runs no call whose input was cut short, and tells the model', async () => {
    const t = await start([reply([toolUseJson('Read', '{"file_path": "/etc/pas')]), reply('ok')]);
    const events = await t.run('go');
    expect(events.find((e) => e.type === 'call_settled')).toMatchObject({
      isError: true,
      status: 'failed',
    });
    expect(JSON.stringify(t.api.requests[1]?.body.messages)).toMatch(/tool_use_error/);
  });

  it('denies what nobody can be asked about, and reports it', async () => {
    const t = await start(
      [reply([toolUse('Read', { file_path: '/x' }, 'call_1')]), reply('I could not.')],
      { decision: 'ask' },
    );
    const events = await t.run('go');
    expect(finished(events).denials).toEqual([
      { tool: 'Read', toolUseId: 'call_1', input: { file_path: '/x' } },
    ]);
  });

  it('tells nothing of what a rule denies, also when the call could not run anyway', async () => {
    const input = { file_path: '/secret/x', old_string: 'a', new_string: 'b' };
    const t = await start([reply([toolUse('Edit', input, 'call_1')]), reply('I could not.')], {
      decision: 'deny',
    });
    const events = await t.run('go');
    expect(finished(events).denials).toEqual([{ tool: 'Edit', toolUseId: 'call_1', input }]);
    const told = JSON.stringify(t.api.requests[1]?.body.messages);
    expect(told).toContain('Permission denied: the test says so');
    expect(told).not.toContain('has not been read');
  });

  it('asks the user, waits, and goes on with the answer', async () => {
    const t = await start([reply([toolUse('Read', { file_path: '/nowhere/x' })]), reply('fine')], {
      decision: 'ask',
      createBroker,
    });
    const statuses: string[] = [];
    for await (const { event } of t.session.main.engine.submit('go')) {
      if (event.type === 'call_changed') statuses.push(event.status);
      if (event.type === 'approval_requested') {
        expect(t.session.log.transcript().approvals).toHaveLength(1);
        t.session.broker?.answer(event.approval.id, { behavior: 'deny', message: 'rather not' });
      }
    }
    expect(statuses).toEqual(['queued', 'approval']);
    expect(t.session.log.transcript().approvals).toEqual([]);
    expect(JSON.stringify(t.api.requests[1]?.body.messages)).toContain('rather not');
  });

  it('stops at the turn limit and says so to model and user', async () => {
    const t = await start(() => reply([toolUse('Read', { file_path: '/nowhere/x' })]), {
      limits: { maxTurns: 2, maxBudgetUsd: null },
    });
    const events = await t.run('go');
    expect(finished(events)).toMatchObject({ terminal: 'max_turns', turns: 2 });
    expect(events.filter((e) => e.type === 'attachment').map((e) => e.kind)).toEqual([
      'max_turns_reached',
    ]);
  });

  it('stops at the budget', async () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 1000 };
    const t = await start(() => reply([toolUse('Read', { file_path: '/nowhere/x' })], { usage }), {
      limits: { maxTurns: null, maxBudgetUsd: 0.5 },
    });
    const end = finished(await t.run('go'));
    expect(end.terminal).toBe('max_budget');
    expect(end.costUsd).toBeGreaterThan(0.5);
  });

  it('puts a queued prompt in between turns, and after an answer', async () => {
    const t = await start([
      reply([toolUse('Read', { file_path: '/nowhere/x' })]),
      reply('first answer'),
      reply('second answer'),
    ]);
    let queued = 0;
    for await (const { event } of t.session.main.engine.submit('go')) {
      if (event.type === 'message_finished' && queued < 2) {
        queued += 1;
        t.session.main.engine.enqueue(`extra ${queued}`, 'next');
      }
    }
    const bodies = t.api.requests.map((r) => JSON.stringify(r.body.messages));
    expect(bodies[1]).toContain('extra 1');
    expect(bodies[2]).toContain('extra 2');
    expect(t.session.main.engine.queue).toEqual([]);
  });

  it('keeps the text received when it is stopped, and the history stays valid', async () => {
    const t = await start([
      reply([text('Half a sentence'), hold(new Promise(() => {}))], { pieceChars: 4 }),
      reply('Going on.'),
    ]);
    const events: AgentEvent[] = [];
    let received = '';
    for await (const { event } of t.session.main.engine.submit('go')) {
      events.push(event);
      if (event.type === 'block_delta') received += event.text;
      if (received.length >= 8) t.session.main.engine.interrupt();
    }
    expect(finished(events).terminal).toBe('aborted_streaming');
    expect(events.find((e) => e.type === 'block_finished')).toMatchObject({
      block: { type: 'text', text: received },
    });
    expect(finished(await t.run('go on')).terminal).toBe('completed');
  });

  it('still tells how full the context is when it is stopped, with the prompt that was answered', async () => {
    const usage = { input_tokens: 40_000, output_tokens: 10 };
    const t = await start([
      reply('One.', { usage }),
      reply([text('Half a sentence'), hold(new Promise(() => {}))], { usage }),
    ]);
    const used = () => t.session.log.transcript().context?.usedTokens ?? 0;
    await t.run('count');
    expect(used()).toBeGreaterThan(39_000);
    for await (const { event } of t.session.main.engine.submit('go'))
      if (event.type === 'block_delta') t.session.main.engine.interrupt();
    expect(used()).toBeGreaterThan(39_000);
  });

  it('tells how full the context is when the first answer of a session is stopped', async () => {
    const usage = { input_tokens: 40_000, output_tokens: 10 };
    const t = await start([
      reply([text('Half a sentence'), hold(new Promise(() => {}))], { usage }),
    ]);
    for await (const { event } of t.session.main.engine.submit('go'))
      if (event.type === 'block_delta') t.session.main.engine.interrupt();
    expect(t.session.log.transcript().context?.usedTokens).toBeGreaterThan(39_000);
  });

  it('goes on after a restart from what is in the file', async () => {
    const t = await start((_request, number) =>
      number === 0
        ? reply([thinking('plan'), toolUse('Read', { file_path: '/nowhere/x' })])
        : reply(`answer ${number}`),
    );
    await t.run('remember the number 42');
    const before = t.session.log.transcript();
    await t.reopen();
    const after = t.session.log.transcript();
    expect({ ...after, epoch: '', seq: 0, context: null }).toEqual({
      ...before,
      epoch: '',
      seq: 0,
      context: null,
    });
    expect(finished(await t.run('what was it?')).terminal).toBe('completed');
    expect(JSON.stringify(t.api.requests.at(-1)?.body.messages)).toContain('number 42');
  });

  it('survives a crash at any line of its file', async () => {
    const t = await start((_request, number) =>
      number % 2 === 0
        ? reply(['Let me look.', toolUse('Read', { file_path: '/nowhere/x' })])
        : reply('done'),
    );
    await t.run('one');
    await t.session.log.flush();
    const { file } = sessionPaths(t.latheHome, t.project, t.session.log.sessionId);
    const whole = await readFile(file, 'utf8');
    const lines = whole.split('\n').length - 1;
    for (let kept = 1; kept < lines; kept++) {
      const cut = whole.split('\n').slice(0, kept).join('\n');
      await writeFile(file, `${cut}\n{"at":17,"eve`);
      await t.reopen();
      expect(finished(await t.run('and now?')).terminal).toBe('completed');
    }
  });

  it("is one process's at a time; a copy goes its own way", async () => {
    const t = await start([reply('one'), reply('two')]);
    await t.run('first');
    const { services } = t;
    const source = {
      file: sessionPaths(t.latheHome, t.project, t.session.log.sessionId).file,
      sessionId: t.session.log.sessionId,
      project: t.project,
    };
    const again = await resumeLog(services, source);
    expect(again).toMatchObject({ ok: false, error: { code: 'session_busy' } });
    const copy = await forkLog(services, source, services.ids.uuid());
    expect(copy.ok).toBe(true);
    if (copy.ok) await copy.value.log.close();
    expect(finished(await t.run('second')).text).toBe('two');
  });

  it('spends its budget once, however many queries it takes', async () => {
    const usage = { input_tokens: 100_000, output_tokens: 0 };
    const t = await start(() => reply('answer', { usage }), {
      limits: { maxTurns: null, maxBudgetUsd: 0.3 },
    });
    expect(finished(await t.run('one')).terminal).toBe('completed');
    expect(finished(await t.run('two')).terminal).toBe('max_budget');
  });
});
