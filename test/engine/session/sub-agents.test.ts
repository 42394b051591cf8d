import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createTodoWriteTool } from '../../../src/main/engine/tools/builtin/todo-write/todo-write';
import { ownNeeds } from '../../../src/main/engine/tools/needs';
import { defineTool } from '../../../src/main/engine/tools/tool';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import type { Script } from '../../support/scripted-api';
import { hold, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const saidIn = (part: unknown): string => JSON.stringify(part ?? null);

/** Moves the agent's shell there and says where it was. */
const moveTool = (seen: string[]) =>
  defineTool<{ to: string }, string>({
    name: 'Move',
    description: 'Moves.',
    input: z.strictObject({ to: z.string() }),
    needs: ownNeeds('Move'),
    title: ({ to = '' }) => ({ verb: 'Move', target: to }),
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* ({ to }, context) {
      seen.push(`${to} from ${context.agent.cwd.get().split('/').at(-1)}`);
      context.agent.cwd.set(to);
      context.agent.reads.set(`${to}/read`, { mtimeMs: 1, size: 1, whole: true });
      return { ok: true, output: `reads: ${context.agent.reads.recent(10).length}` };
    },
    toModel: (output) => [{ type: 'text', text: output }],
    view: (_, output) => ({ kind: 'generic', title: 'Move', detail: output }),
  });

const agentCall = (title: string, prompt: string, type = 'general-purpose') =>
  toolUse('Agent', { description: title, prompt, subagent_type: type });

/** Answers the main agent with `main` in order, and each sub-agent by the word in its prompt. */
const scriptFor =
  (
    main: readonly ReturnType<typeof reply>[],
    agents: Readonly<Record<string, readonly ReturnType<typeof reply>[]>>,
  ): Script =>
  (request) => {
    const said = saidIn(request.body.messages);
    for (const [word, answers] of Object.entries(agents)) {
      if (!said.includes(`task ${word}`) || saidIn(request.body.tools).includes('"Agent"'))
        continue;
      turns[word] = (turns[word] ?? -1) + 1;
      return answers[turns[word] ?? 0] ?? reply('too many requests');
    }
    turns['main'] = (turns['main'] ?? -1) + 1;
    return main[turns['main'] ?? 0] ?? reply('the end');
  };
let turns: Record<string, number> = {};

async function start(script: Script, options: TestSessionOptions = {}) {
  turns = {};
  const seen: string[] = [];
  open = await openTestSession(script, {
    tools: [createAgentTool(BUILT_IN_AGENTS), moveTool(seen), createTodoWriteTool()],
    ...options,
  });
  return { t: open, seen };
}

async function stampedRun(t: TestSession, prompt: string): Promise<readonly Stamped[]> {
  const all: Stamped[] = [];
  for await (const stamped of t.session.submit(prompt)) all.push(stamped);
  return all;
}

const results = (events: readonly Stamped[], agentId = 'main') =>
  events.flatMap(({ event, agentId: id }) =>
    event.type === 'call_settled' && id === agentId
      ? [event.content.map((part) => ('text' in part ? part.text : '')).join('')]
      : [],
  );

describe('sub-agents', () => {
  it('start by the older name of their tool too, under the rules of the present one', async () => {
    const input = { description: 'First', prompt: 'task one', subagent_type: 'general-purpose' };
    const older = toolUse('Task', input);
    const script = () => scriptFor([reply([older])], { one: [reply('report of one')] });
    const { t } = await start(script());
    expect(results(await stampedRun(t, 'go'))).toEqual(['report of one']);
    await t.close();
    const denied = await start(script(), {
      decide,
      settings: { rules: [{ behavior: 'deny', text: 'Agent', source: 'userSettings' }] },
    });
    expect(results(await stampedRun(denied.t, 'go'))).toEqual([
      expect.stringContaining('a deny rule covers it: Agent'),
    ]);
  });

  it('run side by side with a folder, reads and todos of their own, and report their final text', async () => {
    const todo = (content: string) =>
      toolUse('TodoWrite', { todos: [{ content, activeForm: content, status: 'pending' }] });
    const both = Promise.withResolvers<void>();
    const { t, seen } = await start(
      scriptFor([reply([agentCall('First', 'task one'), agentCall('Second', 'task two')])], {
        one: [
          reply([hold(both.promise), toolUse('Move', { to: '/tmp/a' }), todo('a')]),
          reply([toolUse('Move', { to: '/tmp/b' })]),
          reply('report of one'),
        ],
        two: [reply([toolUse('Move', { to: '/tmp/c' }), todo('c')]), reply('report of two')],
      }),
    );
    // The first gets its answer when the second has begun.
    t.session.log.listen(() => t.session.log.transcript().agents.length === 2 && both.resolve());
    const events = await stampedRun(t, 'do both');
    expect([...results(events)].sort()).toEqual(['report of one', 'report of two']);
    expect([...seen].sort()).toEqual([
      '/tmp/a from project',
      '/tmp/b from a',
      '/tmp/c from project',
    ]);
    const { agents: begun, todos, shellCwd, costs } = t.session.log.transcript();
    // Side by side: either may begin first.
    const agents = begun.toSorted((a, b) => a.title.localeCompare(b.title));
    expect(agents.map(({ title, status, parentId }) => [title, status, parentId])).toEqual([
      ['First', 'completed', 'main'],
      ['Second', 'completed', 'main'],
    ]);
    expect(agents.map((agent) => agent.transcript?.todos[0]?.content)).toEqual(['a', 'c']);
    expect(agents.map((agent) => agent.transcript?.shellCwd)).toEqual(['/tmp/b', '/tmp/c']);
    expect([todos, shellCwd]).toEqual([[], '']);
    expect(t.session.main.environment.agent.reads.recent(10)).toEqual([]);
    const [first, second] = agents;
    expect(results(events, first?.id).filter((text) => text.startsWith('reads'))).toEqual([
      'reads: 1',
      'reads: 2',
    ]);
    // One sum: the session's costs are those of all its agents, and the query's too.
    const own = Object.values(costs.byAgent).flatMap((byModel) => Object.values(byModel));
    expect(own.reduce((sum, spend) => sum + spend.costUsd, 0)).toBeCloseTo(costs.total.costUsd, 12);
    expect(t.session.log.transcript().query?.spend.costUsd).toBeCloseTo(costs.total.costUsd, 12);
    expect(costs.byTool['Agent']?.requests).toBe(5);
    // Each has a log of its own; the main one tells only of their beginning and end.
    const main = events.filter(({ agentId }) => agentId === 'main').map(({ event }) => event.type);
    expect(main.filter((type) => type.startsWith('agent_'))).toEqual([
      ...['agent_started', 'agent_started', 'agent_settled', 'agent_settled'],
    ]);
    const transcript = await t.session.agentTranscript(second?.id ?? '');
    expect(transcript.ok && transcript.value.committed.at(0)).toMatchObject({ text: 'task two' });
  });

  it('are asked about by name, and an end of one leaves the questions of the other', async () => {
    const asked: string[] = [];
    const { t } = await start(
      scriptFor([reply([agentCall('Look around', 'task one')])], {
        one: [reply([toolUse('Move', { to: '/tmp/a' })]), reply('done')],
      }),
      {
        decision: 'ask',
        decide: (request) => ({
          behavior: request.kind === 'tool' && request.tool === 'Move' ? 'ask' : 'allow',
          reason: 'the test asks',
          why: [],
          suggestions: [],
        }),
        createBroker,
      },
    );
    t.session.log.listen(({ event, agentId }) => {
      if (event.type !== 'approval_requested') return;
      const [pending] = t.session.log.transcript().approvals;
      asked.push(`${pending?.agent} ${pending?.agentId === agentId}`);
      // The main agent's own end must not take it away.
      t.session.log.append({ type: 'query_finished', ...ENDED });
      expect(t.session.log.transcript().approvals).toHaveLength(1);
      const { id, digest } = event.approval;
      setImmediate(() => t.session.broker?.answer(id, { behavior: 'allow', digest }));
    });
    const events = await stampedRun(t, 'go');
    expect(asked).toEqual(['Look around true']);
    expect(results(events)).toEqual(['done']);
  });

  it('stop with their parent, and stay listed as stopped', async () => {
    const { t } = await start(
      scriptFor([reply([agentCall('Slow', 'task one')])], {
        one: [reply([toolUse('Move', { to: '/tmp/a' })]), reply('x'.repeat(500), { paceMs: 5 })],
      }),
    );
    const all: Stamped[] = [];
    for await (const stamped of t.session.submit('go')) {
      all.push(stamped);
      if (stamped.agentId !== 'main' && stamped.event.type === 'block_delta') {
        t.session.main.engine.interrupt();
      }
    }
    expect(t.session.log.transcript().agents[0]?.status).toBe('cancelled');
    const ends = all.flatMap(({ event, agentId }) =>
      event.type === 'query_finished' ? [[agentId === 'main', event.terminal]] : [],
    );
    expect(ends).toEqual([
      [false, 'aborted_streaming'],
      [true, 'aborted_tools'],
    ]);
  });

  it('Explore is offered tools that only read, and no sub-agent may start another', async () => {
    const { t } = await start(
      scriptFor([reply([agentCall('Look', 'task one', 'Explore')])], { one: [reply('found')] }),
    );
    await stampedRun(t, 'go');
    const body = t.api.requests.find(({ body }) =>
      saidIn(body.messages).includes('task one'),
    )?.body;
    const requests = t.api.requests.map(({ body }) => saidIn(body.tools ?? []));
    expect(requests[1]).not.toMatch(/"Agent"|"Move"|"TodoWrite"/);
    expect(saidIn(body?.system ?? [])).toContain('You explore a code base');
  });
});

const ENDED: Omit<Extract<AgentEvent, { type: 'query_finished' }>, 'type'> = {
  queryId: 'other',
  terminal: 'completed',
  text: '',
  turns: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
  durationMs: 0,
  apiMs: 0,
  denials: [],
  stopReason: null,
};
