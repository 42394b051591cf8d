import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createBashTool } from '../../../src/main/engine/tools/builtin/bash/bash';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import { CALL_STOPPED_TEXT } from '../../../src/main/engine/tools/middleware/call-middleware';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { reply, toolUse } from '../../support/scripted-api-replies';
import type { TestSessionOptions } from '../../support/session';
import { startTestTerminals, type TestTerminals } from '../../support/terminal-client';
import { hook, keeps } from '../hooks/support';
import { endOf, ofType, saidIn, sessionsOfFile } from './support';

const open = sessionsOfFile();
const bash = createBashTool();

let terminals: TestTerminals;
// One host for each test: every session counts its terminals from one.
beforeEach(async () => {
  terminals = await startTestTerminals();
});
afterEach(() => terminals.stop());

type Calls = (project: string) => ReturnType<typeof toolUse>[];

/** A session whose model makes these calls in one response and then stops. */
async function session(calls: Calls, more: TestSessionOptions = {}) {
  const t = await open(
    ({ body: { messages } }) =>
      messages.length === 1 ? reply(calls(t.project)) : reply('Went on.'),
    {
      tools: [bash, createReadTool(), createWriteTool()],
      terminals: terminals.client,
      ...more,
    },
  );
  return t;
}

type Session = Awaited<ReturnType<typeof session>>;

/** Cancels a call as soon as an event says so. */
const cancelWhen = (t: Session, callId: string, when: (event: AgentEvent) => boolean) => {
  let asked = false;
  t.session.log.listen(({ event }) => {
    if (asked || !when(event)) return;
    asked = true;
    setImmediate(() => expect(t.session.main.engine.cancelCall(callId)).toBe(true));
  });
};

const settledOf = (events: readonly AgentEvent[]) =>
  Object.fromEntries(
    ofType(events, 'call_settled').map(({ callId, status, isError, content }) => {
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return [callId, { status, isError, text }];
    }),
  );

const isRunning = (callId: string) => (event: AgentEvent) =>
  event.type === 'call_changed' && event.callId === callId && event.status === 'running';

describe('stopping one call', () => {
  it('ends a slow command while the one beside it and the one behind it go on', async () => {
    const t = await session((project) => [
      toolUse('Bash', { command: 'tail -f log' }, 'slow'),
      toolUse('Bash', { command: 'cat log' }, 'fast'),
      toolUse('Bash', { command: `echo ran > ${join(project, 'later')}` }, 'behind'),
    ]);
    await writeFile(join(t.project, 'log'), 'first line\n');
    let fastIsDone = false;
    let slowHasSpoken = false;
    cancelWhen(t, 'slow', (event) => {
      if (event.type === 'call_settled' && event.callId === 'fast') fastIsDone = true;
      if (
        event.type === 'call_changed' &&
        event.callId === 'slow' &&
        event.view?.kind === 'shell' &&
        event.view.tail.includes('first line')
      )
        slowHasSpoken = true;
      return fastIsDone && slowHasSpoken;
    });
    const events = await t.run('go');
    const { slow, fast, behind } = settledOf(events);
    expect(slow).toMatchObject({ status: 'cancelled', isError: true });
    expect(slow?.text).toContain(CALL_STOPPED_TEXT);
    expect(slow?.text).toContain('first line');
    expect(fast).toMatchObject({ status: 'done', isError: false });
    expect(behind).toMatchObject({ status: 'done' });
    expect(existsSync(join(t.project, 'later'))).toBe(true);
    // The query went on, with all three results.
    expect(endOf(events).terminal).toBe('completed');
    for (const id of ['slow', 'fast', 'behind'])
      expect(saidIn(t.api, 1)).toContain(`"tool_use_id":"${id}"`);
    const alive = await terminals.client.list();
    expect(alive.filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
  });

  it('keeps a call that waits for others from ever starting', async () => {
    const t = await session((project) => [
      toolUse('Bash', { command: `while [ ! -e go ]; do sleep 0.01; done; true > x` }, 'first'),
      toolUse('Write', { file_path: join(project, 'never'), content: 'x' }, 'waits'),
    ]);
    const seen = new Set<string>();
    cancelWhen(t, 'waits', (event) => {
      if (event.type === 'call_changed') seen.add(`${event.callId} ${event.status}`);
      return seen.has('first running') && seen.has('waits queued');
    });
    t.session.log.listen(({ event }) => {
      if (event.type === 'call_settled' && event.callId === 'waits') void t.touch('go');
    });
    const { first, waits } = settledOf(await t.run('go'));
    expect(first).toMatchObject({ status: 'done' });
    expect(waits?.status).toBe('cancelled');
    expect(waits?.text).toContain(CALL_STOPPED_TEXT);
    expect(existsSync(join(t.project, 'never'))).toBe(false);
  });

  it('takes its question away, and leaves the next one standing', async () => {
    const t = await session(
      (project) => [
        toolUse('Write', { file_path: join(project, 'a'), content: 'x' }, 'a'),
        toolUse('Write', { file_path: join(project, 'b'), content: 'x' }, 'b'),
      ],
      { decision: 'ask', createBroker },
    );
    t.session.log.listen(({ event }) => {
      if (event.type !== 'approval_requested') return;
      const { id, callId, digest } = event.approval;
      setImmediate(() => {
        if (callId === 'a') expect(t.session.main.engine.cancelCall('a')).toBe(true);
        else void t.session.broker?.answer(id, { behavior: 'allow', digest });
      });
    });
    const events = await t.run('go');
    expect(settledOf(events)).toMatchObject({ a: { status: 'cancelled' }, b: { status: 'done' } });
    expect(ofType(events, 'approval_withdrawn')).toHaveLength(1);
    expect(t.session.log.transcript().approvals).toEqual([]);
  });

  it('is told to PostToolUseFailure hooks as an interruption', async () => {
    const t = await session(() => [toolUse('Bash', { command: 'tail -f log' }, 'slow')], {
      settings: { hooks: [hook('PostToolUseFailure', keeps('in.json'))] },
    });
    await writeFile(join(t.project, 'log'), '');
    cancelWhen(t, 'slow', isRunning('slow'));
    const events = await t.run('go');
    expect(ofType(events, 'hook_settled')[0]?.report.outcome).toBe('done');
    const input = JSON.parse(await readFile(join(t.project, 'in.json'), 'utf8'));
    expect(input).toMatchObject({ tool_use_id: 'slow', is_interrupt: true });
  });

  it('reaches the call of a sub-agent, which goes on', async () => {
    const task = { description: 'Watch', prompt: 'watch it', subagent_type: 'general-purpose' };
    const answers = {
      main: [reply([toolUse('Agent', task)]), reply('Done.')],
      agent: [
        reply([toolUse('Bash', { command: 'tail -f log' }, 'slow')]),
        reply('It was stopped.'),
      ],
    };
    const t = await open(
      ({ body }) => {
        const isMain = JSON.stringify(body.tools).includes('"Agent"');
        return (isMain ? answers.main : answers.agent).shift() ?? reply('too many requests');
      },
      { tools: [bash, createAgentTool(BUILT_IN_AGENTS)], terminals: terminals.client },
    );
    await writeFile(join(t.project, 'log'), '');
    const answered: boolean[] = [];
    t.session.log.listen(({ event }) => {
      if (isRunning('slow')(event)) setImmediate(() => answered.push(t.session.cancelCall('slow')));
    });
    const events = await t.run('go');
    expect(answered[0]).toBe(true);
    const agent = settledOf(events)['slow'];
    expect(agent).toMatchObject({ status: 'cancelled' });
    const report = ofType(events, 'call_settled').find(({ tool }) => tool === 'Agent');
    expect(report?.content).toEqual([{ type: 'text', text: 'It was stopped.' }]);
    expect(endOf(events).terminal).toBe('completed');
  });

  it('does nothing for a call that has ended, or that nobody knows', async () => {
    const t = await session((project) => [
      toolUse('Write', { file_path: join(project, 'a'), content: 'x' }, 'a'),
    ]);
    const answers: boolean[] = [];
    t.session.log.listen(({ event }) => {
      if (event.type !== 'call_settled') return;
      answers.push(
        t.session.main.engine.cancelCall('a'),
        t.session.main.engine.cancelCall('nobody'),
      );
    });
    const events = await t.run('go');
    expect(answers).toEqual([false, false]);
    expect(settledOf(events)).toMatchObject({ a: { status: 'done' } });
    expect(t.session.main.engine.cancelCall('a')).toBe(false);
  });
});
