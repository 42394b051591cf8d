import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createSendMessageTool } from '../../../src/main/engine/tools/builtin/send-message/send-message';
import { createTaskOutputTool } from '../../../src/main/engine/tools/builtin/task-output/task-output';
import { createTaskStopTool } from '../../../src/main/engine/tools/builtin/task-stop/task-stop';
import type { Stamped } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import { hold, type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { until } from '../tasks/set-up';
import { echo, isMain } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

/** A session whose main agent answers from one list, and each sub-agent from that of the word in its first prompt. */
async function start(
  main: (Reply | (() => Reply))[],
  agents: Readonly<Record<string, Reply[]>>,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  open = await openTestSession(
    ({ body }) => {
      if (isMain(body)) {
        const next = main.shift() ?? reply('the end');
        return typeof next === 'function' ? next() : next;
      }
      const said = JSON.stringify(body.messages);
      const word = Object.keys(agents).find((one) => said.includes(`task ${one}`)) ?? '';
      return agents[word]?.shift() ?? reply(`no more answers for ${word}`);
    },
    {
      tools: [
        createAgentTool(BUILT_IN_AGENTS),
        createSendMessageTool(),
        createTaskOutputTool(),
        createTaskStopTool(),
        createEchoTool(),
      ],
      ...options,
    },
  );
  return open;
}

const agentCall = (word: string, more: Readonly<Record<string, unknown>> = {}) =>
  toolUse('Agent', { description: `Do ${word}`, prompt: `task ${word}`, ...more });
const inBackground = (word: string) => agentCall(word, { run_in_background: true });
const send = (to: string, message: string) => toolUse('SendMessage', { to, message });

async function run(t: TestSession, prompt: string | null): Promise<readonly Stamped[]> {
  const all: Stamped[] = [];
  for await (const stamped of t.session.submit(prompt)) all.push(stamped);
  return all;
}

const results = (events: readonly Stamped[]) =>
  events.flatMap(({ event, agentId }) =>
    event.type === 'call_settled' && agentId === 'main'
      ? [event.content.map((part) => ('text' in part ? part.text : '')).join('')]
      : [],
  );
/** The id of the first sub-agent. */
const agentId = () => open?.session.log.transcript().agents[0]?.id ?? '';
const mainSaid = (t: TestSession) =>
  JSON.stringify(t.api.requests.findLast(({ body }) => isMain(body))?.body.messages);
const statuses = (t: TestSession) => t.session.log.transcript().agents.map(({ status }) => status);
const tasks = (t: TestSession) =>
  t.session.tasks.list().map(({ type, status, title }) => [type, status, title]);

describe('a sub-agent in the background', () => {
  it('lets its call go at once, and tells its report once when it ends', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await start([reply([inBackground('one')]), reply('meanwhile'), reply('thanks')], {
      one: [reply([hold(gate.promise), echo('a', 'e1')]), reply('use <T> & </result> here')],
    });
    const events = await run(t, 'go');
    expect(results(events)).toEqual([expect.stringContaining('works in the background as task a')]);
    expect(tasks(t)).toEqual([['local_agent', 'running', 'Do one']]);
    expect(statuses(t)).toEqual(['running']);
    expect(t.session.hasNews()).toBe(false);
    gate.resolve();
    await until(() => t.session.hasNews());
    await run(t, null);
    const [task] = t.session.tasks.list();
    expect(task).toMatchObject({ status: 'completed', endTold: true, subAgentId: agentId() });
    const said = mainSaid(t);
    expect(said).toContain(
      '<status>completed</status>\\n<summary>Sub-agent \\"Do one\\" completed.</summary>\\n<result>\\nuse <T> & &lt;/result> here\\n</result>',
    );
    expect(said.split('<task-notification>')).toHaveLength(2);
    const { costs, agents } = t.session.log.transcript();
    expect(agents).toMatchObject([{ status: 'completed', background: true }]);
    const own = Object.values(costs.byAgent).flatMap((byModel) => Object.values(byModel));
    expect(own.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
    expect(own.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(costs.total.costUsd, 12);
    // Its output is a line for each call, and the report.
    const output = await t.session.tasks.forAgent('main').readNewOutput(task?.id ?? '');
    expect(output.text).toMatch(/^Echo a\n\nuse <T> & <\/result> here\n$/);
    await t.reopen();
    expect(t.session.hasNews()).toBe(false);
  });

  it('gets a message between two steps, and takes up its work with one after its end', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await start(
      [
        reply([inBackground('one')]),
        reply([send('do one', 'look at b too')]),
        reply('sent'),
        () => reply([send(agentId(), 'and now c')]),
        reply('again'),
        reply('all done'),
      ],
      {
        one: [
          reply([hold(gate.promise), echo('a', 'e1')]),
          reply('report of a and b'),
          reply('report of c'),
        ],
      },
    );
    const first = await run(t, 'go');
    expect(results(first)[1]).toContain('is at work and gets the message');
    // What waits for a sub-agent is not what the user queued.
    expect(t.session.log.transcript().queue).toEqual([]);
    gate.resolve();
    await until(() => t.session.hasNews());
    const told = t.api.requests.filter(({ body }) => !isMain(body)).at(-1);
    expect(JSON.stringify(told?.body.messages)).toContain('look at b too');
    const second = await run(t, null);
    expect(results(second)).toEqual([expect.stringContaining('works in the background')]);
    await until(
      () => t.session.tasks.list().filter(({ status }) => status === 'completed').length === 2,
    );
    await run(t, null);
    expect(mainSaid(t)).toContain('report of c');
    // It knew all that was said before.
    const last = JSON.stringify(t.api.requests.filter(({ body }) => !isMain(body)).at(-1)?.body);
    for (const words of ['task one', 'look at b too', 'report of a and b', 'and now c'])
      expect(last).toContain(words);
    // Nobody takes an agent's words for the user's.
    expect(last).toContain('The agent you work for sent the message above');
    expect(last).not.toContain('The user sent');
    const { agents } = t.session.log.transcript();
    expect(agents).toHaveLength(1);
    const texts = agents[0]?.transcript?.committed.flatMap((i) =>
      i.kind === 'text' ? [i.text] : [],
    );
    expect(texts).toEqual(['report of a and b', 'report of c']);
  });

  it('takes up its work after a restart too, and costs add up', async () => {
    const t = await start(
      [
        reply([agentCall('one')]),
        reply('ok'),
        reply([send('Do one', 'more')]),
        reply('ok'),
        reply('end'),
      ],
      { one: [reply('first report'), reply('second report')] },
    );
    await run(t, 'go');
    await t.reopen();
    await run(t, 'again');
    await until(() => t.session.hasNews());
    await run(t, null);
    const last = JSON.stringify(t.api.requests.filter(({ body }) => !isMain(body)).at(-1)?.body);
    expect(last).toContain('first report');
    const shown = await t.session.agentTranscript(agentId());
    const texts =
      shown.ok && shown.value.committed.flatMap((i) => (i.kind === 'text' ? [i.text] : []));
    expect(texts).toEqual(['first report', 'second report']);
    const before = t.session.log.transcript().costs;
    expect(Object.values(before.byAgent[agentId()] ?? {})[0]?.requests).toBe(2);
    await t.reopen();
    expect(t.session.log.transcript().costs.total).toEqual(before.total);
    expect(statuses(t)).toEqual(['completed']);
  });

  it('is stopped by its task, and by the end of the session even when tasks go on', async () => {
    const ids = () => open?.session.tasks.list() ?? [];
    const never = new Promise<void>(() => {});
    const t = await start(
      [
        reply([inBackground('one'), inBackground('two')]),
        () => reply([toolUse('TaskStop', { task_id: ids()[0]?.id })]),
        reply('stopped'),
      ],
      { one: [reply([hold(never)])], two: [reply([hold(never)])] },
    );
    const events = await run(t, 'go');
    expect(results(events)[2]).toMatch(/^Task a\S* was stopped\.$/);
    expect(statuses(t)).toEqual(['cancelled', 'running']);
    await t.reopen();
    expect(statuses(t)).toEqual(['cancelled', 'cancelled']);
    expect(t.session.log.transcript().running).toBeNull();
  });

  it('is what a running one becomes when the user moves its call there', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await start([reply([agentCall('one')]), reply('meanwhile'), reply('thanks')], {
      one: [reply([hold(gate.promise)]), reply('late report')],
    });
    t.session.log.listen(({ event }) => {
      if (event.type === 'call_changed' && event.view?.kind === 'agent')
        t.session.background(event.callId);
    });
    const events = await run(t, 'go');
    expect(results(events)).toEqual([expect.stringContaining('works in the background')]);
    // The user stops the main agent's answer: the sub-agent goes on.
    gate.resolve();
    await until(() => t.session.hasNews());
    await run(t, null);
    expect(mainSaid(t)).toContain('<result>');
  });

  it('is always one when its definition says so, and at most five work at a time', async () => {
    const never = new Promise<void>(() => {});
    const words = ['one', 'two', 'three', 'four', 'five'];
    const t = await start(
      [
        reply(words.map((word) => agentCall(word, { subagent_type: 'quiet' }))),
        reply([agentCall('six', { subagent_type: 'quiet' })]),
        reply('full'),
      ],
      Object.fromEntries(words.map((word) => [word, [reply([hold(never)])]])),
      {
        files: {
          '.claude/agents/quiet.md':
            '---\nname: quiet\ndescription: Works alone\nbackground: true\n---\nWork.',
        },
      },
    );
    const events = await run(t, 'go');
    expect(tasks(t)).toHaveLength(5);
    expect(results(events).at(-1)).toContain('Five sub-agents work already');
  });
});

describe('sub-agents of sub-agents', () => {
  it('are started as deep as a setting says, and what they cost counts up to the top', async () => {
    const main = [reply([agentCall('one')]), reply('end')];
    open = await openTestSession(
      ({ body }) => {
        const said = JSON.stringify(body.messages);
        const word = ['three', 'two', 'one'].find((one) =>
          JSON.stringify(body.messages?.[0]).includes(`task ${one}`),
        );
        if (word === undefined) return main.shift() ?? reply('the end');
        const next = { one: 'two', two: 'three', three: 'four' }[word] ?? '';
        return said.includes('tool_result') || !isMain(body)
          ? reply(`report of ${word}`)
          : reply([agentCall(next)]);
      },
      {
        tools: [createAgentTool(BUILT_IN_AGENTS), createEchoTool()],
        settings: { maxAgentDepth: 2 },
      },
    );
    const events = await run(open, 'go');
    expect(results(events)).toEqual(['report of one']);
    const { agents, costs, query } = open.session.log.transcript();
    expect(agents.map(({ title, parentId, status }) => [title, parentId, status])).toEqual([
      ['Do one', 'main', 'completed'],
      ['Do two', agentId(), 'completed'],
    ]);
    expect(query?.spend.costUsd).toBeCloseTo(costs.total.costUsd, 12);
    // The second may start none: it is not offered the tool.
    expect(open.api.requests.filter(({ body }) => isMain(body))).toHaveLength(4);
    await open.reopen();
    expect(open.session.log.transcript().costs.total.requests).toBe(5);
  });
});
