import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedSessions, watchAttention } from '../../../src/main/app/session-attention';
import type { Attention } from '../../../src/main/app/workbench';
import type { Decide } from '../../../src/main/engine/permissions/request';
import { error, hold, reply, text, toolUse } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { until } from '../tasks/set-up';
import { agentCall, echo, isMain, openWithAgents, stampedRun, TASK } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function start(...args: Parameters<typeof openWithAgents>) {
  const opened = await openWithAgents(...args);
  open = opened.t;
  return opened;
}

const saidTo = (t: TestSession, main: boolean): string =>
  JSON.stringify(t.api.requests.filter(({ body }) => isMain(body) === main).at(-1)?.body ?? null);

describe('what a session shares with its sub-agents', () => {
  it('tells the main agent how a background task ended whose sub-agent has ended', async () => {
    const { t, terminals } = await start(
      [reply([agentCall()]), reply('ok'), reply('seen')],
      [reply([toolUse('Bash', { command: 'make', run_in_background: true })]), reply('report')],
    );
    await t.run('go');
    const [task] = t.session.tasks.list();
    expect(task?.agentId).toBe('main');
    const woken = new Promise<void>((resolve) => t.session.onNews(resolve));
    terminals.exit(task?.terminalId ?? '', { exitCode: 3 });
    await woken;
    expect(t.session.hasNews()).toBe(true);
    await t.run('more');
    expect(saidTo(t, true)).toMatch(/<task-notification>.*failed with exit code 3/);
    expect(t.session.hasNews()).toBe(false);
  });

  it('hands on the notice of a task that ended before its sub-agent did', async () => {
    const { t, terminals } = await start(
      [reply([agentCall()]), reply('ok')],
      [reply([toolUse('Bash', { command: 'make', run_in_background: true })]), reply('report')],
    );
    // The sub-agent has its last answer already: it is told nothing more.
    t.session.log.listen(({ event, agentId }) => {
      if (agentId === 'main' || event.type !== 'message_finished') return;
      if (event.stopReason !== 'end_turn') return;
      terminals.exit(t.session.tasks.list()[0]?.terminalId ?? '', { exitCode: 0 });
    });
    await t.run('go');
    await until(() => t.session.tasks.list()[0]?.status === 'completed');
    if (t.session.hasNews()) await t.run(null);
    expect(saidTo(t, true).split('<task-notification>')).toHaveLength(2);
  });

  it('counts all their money against its limit, and stops them when it is spent', async () => {
    const dear = { usage: { input_tokens: 100_000, output_tokens: 1 } };
    const { t } = await start(
      [reply([agentCall(), agentCall()]), reply('not asked any more')],
      Array.from({ length: 40 }, (_, n) => reply([echo(`round ${n}`)], dear)),
      { limits: { maxTurns: null, maxBudgetUsd: 1 } },
    );
    const ends = (await stampedRun(t, 'go')).flatMap(({ event }) =>
      event.type === 'query_finished' ? [event.terminal] : [],
    );
    expect(ends).toEqual(['max_budget', 'max_budget', 'max_budget']);
    // Each of the two may have had one request on its way when the other spent the last of it.
    const { total, byAgent } = t.session.log.transcript().costs;
    const [one] = Object.values(byAgent).flatMap((models) => Object.values(models));
    expect(total.costUsd).toBeGreaterThanOrEqual(1);
    expect(total.costUsd).toBeLessThan(1 + 2 * 0.4);
    expect(one?.costUsd).toBeLessThan(1);
  });

  it('gives every call an id of its own, so that stopping one stops no other', async () => {
    const { t } = await start(
      [reply([toolUse('Agent', TASK, 'call_1')]), reply('ok')],
      [reply([toolUse('Bash', { command: 'make' }, 'call_1')]), reply('report')],
    );
    t.session.log.listen(({ event, agentId }) => {
      if (agentId === 'main' || event.type !== 'call_changed' || event.status !== 'running') return;
      setImmediate(() => t.session.cancelCall('call_1_2'));
    });
    const settled = (await stampedRun(t, 'go')).flatMap(({ event, agentId }) =>
      event.type === 'call_settled' ? [[agentId === 'main', event.callId, event.status]] : [],
    );
    expect(settled).toEqual([
      [false, 'call_1_2', 'cancelled'],
      [true, 'call_1', 'done'],
    ]);
    expect(saidTo(t, true)).toContain('"tool_use_id":"call_1"');
  });

  it('moves a command of theirs to the background', async () => {
    const { t, terminals } = await start(
      [reply([agentCall()]), reply('ok')],
      [reply([toolUse('Bash', { command: 'make' }, 'b1')]), reply('report')],
    );
    const run = t.run('go');
    await until(() => terminals.spawned.length > 0);
    await until(() => t.session.background('b1'));
    await run;
    expect(t.session.tasks.list()).toMatchObject([{ command: 'make', agentId: 'main' }]);
    expect(t.session.background('b1')).toBe(false);
  });

  it('tries their refused requests again at once when the user says so', async () => {
    const { t } = await start(
      [reply([agentCall()]), reply('ok')],
      [error(529, 'overloaded_error'), reply('report')],
    );
    const run = t.run('go');
    const waits = () => t.session.log.transcript().agents[0]?.transcript?.waiting ?? null;
    await until(() => waits() !== null);
    expect(t.session.retryNow()).toBe(true);
    await run;
    expect(saidTo(t, true)).toContain('report');
    expect(t.session.retryNow()).toBe(false);
  });

  it('stops one of two, and the other goes on', async () => {
    const gate = Promise.withResolvers<void>();
    const { t } = await start(
      [reply([toolUse('Agent', TASK, 'a1'), toolUse('Agent', TASK, 'a2')]), reply('ok')],
      [reply([hold(gate.promise), text('one')]), reply([hold(gate.promise), text('two')])],
    );
    t.session.log.listen(({ event }) => {
      if (event.type !== 'call_settled') return;
      gate.resolve();
    });
    const run = stampedRun(t, 'go');
    await until(() => t.api.requests.length === 3);
    await until(() => t.session.cancelCall('a1'));
    const events = await run;
    const ends = events.flatMap(({ event, agentId }) =>
      event.type === 'call_settled' && agentId === 'main' ? [[event.callId, event.status]] : [],
    );
    expect(ends).toEqual([
      ['a1', 'cancelled'],
      ['a2', 'done'],
    ]);
    const ended = t.session.log.transcript().agents.map(({ callId, status }) => [callId, status]);
    expect(ended.sort()).toEqual([
      ['a1', 'cancelled'],
      ['a2', 'completed'],
    ]);
  });

  it('changes the mode of those that run', async () => {
    const modes: string[] = [];
    const decide: Decide = (_request, _rules, mode) => {
      modes.push(mode);
      return { behavior: 'allow', reason: '', why: [], suggestions: [] };
    };
    const { t } = await start(
      [reply([agentCall()]), reply('ok')],
      [reply([echo('a')]), reply([echo('b')]), reply('done')],
      { mode: 'bypassPermissions', decide },
    );
    t.session.log.listen(({ event, agentId }) => {
      if (agentId === 'main' || event.type !== 'call_settled' || modes.includes('-')) return;
      modes.push('-');
      t.session.configure({ mode: 'default' });
    });
    await t.run('go');
    const at = modes.indexOf('-');
    expect(new Set(modes.slice(0, at))).toEqual(new Set(['bypassPermissions']));
    expect(new Set(modes.slice(at + 1))).toEqual(new Set(['default']));
    expect(modes.length).toBeGreaterThan(at + 1);
  });

  it('says to a user that it has finished when the main agent has', async () => {
    const { t } = await start(
      [reply([agentCall()]), reply('all done')],
      [reply([echo('a')]), reply('report of the sub-agent')],
    );
    const heard: Attention[] = [];
    const sessions: OpenedSessions = { onOpened: (listener) => listener({ session: t.session }) };
    watchAttention(sessions).listen((attention) => heard.push(attention));
    t.session.log.listen(({ event }) => {
      if (event.type === 'call_settled') t.clock.advance(20_000);
    });
    await t.run('go');
    expect(heard.map(({ kind, body }) => [kind, body])).toEqual([['finished', 'all done']]);
  });

  it('tells sub-agents of the plan mode in words for who reports, and lets them ask nobody', async () => {
    const { t } = await start([reply([agentCall()]), reply('ok')], [reply('found')], {
      mode: 'plan',
    });
    await stampedRun(t, 'go');
    expect(saidTo(t, false)).toContain('Plan mode is on');
    expect(saidTo(t, false)).not.toMatch(/present the plan|Ask when a decision/);
    expect(saidTo(t, true)).toMatch(/present the plan/);
    expect(saidTo(t, true)).toContain('"AskUserQuestion"');
    expect(saidTo(t, false)).not.toContain('"AskUserQuestion"');
  });
});
