import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { readGivenAgents } from '../../../src/main/engine/agents/read-agents';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import type { RecordedRequest } from '../../support/scripted-api';
import { hold, type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { until } from '../tasks/set-up';
import { echo } from './sub-agent-session';

let t: TestSession;
afterEach(async () => {
  expect(t.api.refusals).toEqual([]);
  await t.close();
});

const WORKER = { description: 'Works', prompt: 'You are the worker.', observer: 'watcher' };
const WATCHER = { description: 'Looks on', prompt: 'You are the watcher.' };

const offered = ({ body }: RecordedRequest) =>
  (body.tools ?? []).map((tool) => ('name' in tool ? tool.name : ''));
/** Returns whose request one is. */
const asker = (request: RecordedRequest) => {
  const system = JSON.stringify(request.body.system);
  return ['worker', 'watcher'].find((name) => system.includes(`You are the ${name}.`)) ?? 'main';
};
const said = (request: RecordedRequest | undefined) => JSON.stringify(request?.body.messages);
const of = (name: string) => t.api.requests.filter((one) => asker(one) === name);

/** Opens a session whose agents get their answers from lists of their own. */
async function start(
  replies: Readonly<Record<string, Reply[]>>,
  agents: Readonly<Record<string, object>> = { worker: WORKER, watcher: WATCHER },
  options: TestSessionOptions = {},
) {
  t = await openTestSession((request) => replies[asker(request)]?.shift() ?? reply('nothing'), {
    tools: [
      createAgentTool(BUILT_IN_AGENTS),
      createEchoTool(),
      createReadTool(),
      createWriteTool(),
    ],
    host: (plain) => ({ ...plain, givenAgents: readGivenAgents(agents) }),
    ...options,
  });
}

async function run(prompt: string | null): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of t.session.submit(prompt)) events.push(event);
  return events;
}

const startWorker = reply([
  toolUse('Agent', { description: 'Count', prompt: 'count <geese>', subagent_type: 'worker' }),
]);
const report = (text: string) => reply([toolUse('ObserverReport', { report: text })]);
const tasks = () => t.session.tasks.list().map(({ type, status, title }) => [type, status, title]);

it('an observer sees what another agent does, and its report is told to who started that one', async () => {
  await start(
    {
      main: [startWorker, reply('done')],
      worker: [reply(['I look.', echo('one </activity>', 'e1')]), reply('Seven geese.')],
      watcher: [report('It never counted.'), reply('nothing more')],
    },
    { worker: { ...WORKER, observerMessage: 'Mind the swans.' }, watcher: WATCHER },
  );
  await run('go');
  await until(() => t.session.hasNews());
  await run(null);
  const [look] = of('watcher');
  expect(look && offered(look)).toEqual(['ObserverReport', 'Read']);
  expect(said(look)).toContain('count &lt;geese&gt;');
  expect(said(look)).toContain('It wrote: I look.');
  expect(said(look)).toContain('Echo one &lt;/activity&gt; (done)');
  expect(said(look)).toContain('It ended (completed): Seven geese.');
  expect(said(look)).toContain('</activity>\\nMind the swans.');
  const told = said(of('main').at(-1));
  expect(told).toContain('<summary>\\"watcher: Count\\" reports:</summary>');
  expect(told).toContain('It never counted.');
  // It takes no part: the other hears nothing of it, and nobody is woken by its end.
  expect(JSON.stringify(of('worker').map(said))).not.toContain('never counted');
  await until(() => tasks().every(([, status]) => status === 'completed'));
  expect(tasks()).toEqual([['observer', 'completed', 'watcher: Count']]);
  expect(t.session.hasNews()).toBe(false);
  expect(offered(of('main')[0] as RecordedRequest)).not.toContain('ObserverReport');
});

it('one looks in the middle of long work, and only so often', async () => {
  const seen = Promise.withResolvers<void>();
  const steps = Array.from({ length: 5 }, (_, at) => reply([echo(`step ${at}`, `e${at}`)]));
  await start({
    main: [startWorker, reply('done')],
    worker: [...steps, reply([hold(seen.promise), echo('late', 'e9')]), reply('Done.')],
  });
  const running = run('go');
  await until(() => of('watcher').length === 1);
  expect(said(of('watcher')[0])).toContain('step 4');
  expect(said(of('watcher')[0])).not.toContain('It ended');
  seen.resolve();
  await running;
  await until(() => tasks().some(([, status]) => status === 'completed'));
  expect(of('watcher')).toHaveLength(2);
  const last = of('watcher')[1]?.body.messages.at(-1);
  expect(JSON.stringify(last)).toContain('It ended (completed): Done.');
  expect(JSON.stringify(last)).not.toContain('step 4');
});

it('one acts on nothing: it has no tool that writes, and asks nobody', async () => {
  await start(
    {
      main: [startWorker, reply('done')],
      worker: [reply('Seven.')],
      watcher: [reply([toolUse('Write', { file_path: 'a.txt', content: 'x' }, 'w1')])],
    },
    { worker: WORKER, watcher: { ...WATCHER, tools: ['Write', 'Read', 'SendMessage'] } },
  );
  await run('go');
  await until(() => tasks().some(([, status]) => status === 'completed'));
  expect(offered(of('watcher')[0] as RecordedRequest)).toEqual(['ObserverReport', 'Read']);
  expect((await t.services.files.stat(`${t.project}/a.txt`)).ok).toBe(false);
});

it('who is not defined does not observe, which is told, and nobody observes an observer', async () => {
  await start(
    { main: [startWorker, reply('done')], worker: [reply('Seven.')] },
    {
      worker: { ...WORKER, observer: 'nobody, watcher' },
      watcher: { ...WATCHER, observer: 'worker' },
    },
  );
  const events = await run('go');
  expect(events).toContainEqual(
    expect.objectContaining({ text: 'There is no agent "nobody" that could observe worker.' }),
  );
  await until(() => tasks().some(([, status]) => status === 'completed'));
  expect(of('worker')).toHaveLength(1);
});

it('nothing is asked of an observer once its agent was stopped', async () => {
  const begun = Promise.withResolvers<void>();
  await start({
    main: [startWorker],
    worker: [reply([hold(new Promise(() => begun.resolve())), echo('never', 'e1')])],
  });
  const running = run('go');
  await until(() => of('worker').length === 1);
  t.session.main.engine.interrupt('stopped');
  await running;
  expect(tasks()).toEqual([]);
  expect(of('watcher')).toEqual([]);
});

describe('a main agent that is observed', () => {
  const LEAD = { description: 'Leads', prompt: 'You are the main.', observer: 'watcher' };
  const lead = (replies: Readonly<Record<string, Reply[]>>) =>
    start(
      replies,
      { lead: LEAD, watcher: WATCHER },
      {
        host: (plain) => ({
          ...plain,
          givenAgents: readGivenAgents({ lead: LEAD, watcher: WATCHER }),
          prompts: { ...plain.prompts, agent: 'lead' },
        }),
      },
    );

  it('hears at its end what was seen, and what it does on that alone is not looked at', async () => {
    await lead({
      main: [reply(['I look.', echo('one', 'e1')]), reply('Seven geese.'), reply('I count again.')],
      watcher: [report('It never counted.'), reply('nothing more')],
    });
    await run('count the geese');
    await until(() => t.session.hasNews());
    await run(null);
    const [look] = of('watcher');
    expect(look && offered(look)).toEqual(['ObserverReport', 'Read']);
    expect(said(look)).toContain('count the geese');
    expect(said(look)).toContain('Echo one (done)');
    expect(said(look)).toContain('It ended (completed): Seven geese.');
    expect(said(of('main').at(-1))).toContain('It never counted.');
    await until(() => tasks().every(([, status]) => status === 'completed'));
    expect(tasks()).toEqual([['observer', 'completed', 'watcher: count the geese']]);
    expect(of('watcher')).toHaveLength(2);
    expect(t.session.hasNews()).toBe(false);
  });

  it('has an observer that begins before a run without a user may end', async () => {
    await lead({ main: [reply('Seven geese.')], watcher: [report('It never counted.')] });
    await run('count the geese');
    await t.session.observersBegun();
    expect(tasks().map(([type]) => type)).toEqual(['observer']);
    await until(() => tasks().every(([, status]) => status === 'completed'));
  });

  it('is not observed at what its user runs without it', async () => {
    await lead({ main: [] });
    for await (const _ of t.session.main.engine.shell('true'));
    expect(t.session.log.transcript().agents).toEqual([]);
  });

  it('is observed at each prompt anew, and not once it was stopped', async () => {
    const waits = Promise.withResolvers<void>();
    await lead({ main: [reply('One.'), reply([hold(waits.promise), 'two'])] });
    await run('first');
    await until(
      () => tasks().length === 1 && tasks().every(([, status]) => status === 'completed'),
    );
    const running = run('second');
    await until(() => of('main').length === 2);
    t.session.main.engine.interrupt('stopped');
    await running;
    waits.resolve();
    expect(
      of('watcher')
        .map(said)
        .filter((text) => text.includes('second')),
    ).toEqual([]);
    expect(of('watcher')).toHaveLength(1);
  });
});
