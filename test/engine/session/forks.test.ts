import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createAskUserQuestionTool } from '../../../src/main/engine/tools/builtin/ask-user-question/ask-user-question';
import { createSendMessageTool } from '../../../src/main/engine/tools/builtin/send-message/send-message';
import { createEchoTool } from '../../support/echo-tool';
import type { RecordedRequest } from '../../support/scripted-api';
import { error, hold, type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { agentCall, echo } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const said = ({ body }: RecordedRequest) => JSON.stringify(body.messages);
const isFork = (request: RecordedRequest) => said(request).includes('# Task');

/** Opens a session in which forks get their answers from one list, and the main agent its own from another. */
async function start(main: readonly Reply[], forks: readonly Reply[]): Promise<TestSession> {
  const left = { main: [...main], forks: [...forks] };
  open = await openTestSession(
    (request) => (isFork(request) ? left.forks : left.main).shift() ?? reply('the end'),
    {
      tools: [
        createAgentTool(BUILT_IN_AGENTS),
        createSendMessageTool(),
        createAskUserQuestionTool(),
        createEchoTool(),
      ],
    },
  );
  return open;
}

/** Returns what the model was told last. */
const told = (t: TestSession) => said(t.api.requests.at(-1) as RecordedRequest);

describe('a fork', () => {
  it('begins with the conversation, the prompt and the tools of its parent, so that the cache holds', async () => {
    const t = await start(
      [reply([echo('before')]), reply('noted'), reply([agentCall('fork'), echo('beside')])],
      [reply('the fork says so')],
    );
    await t.run('Remember the number 41.');
    await t.run('Fork it.');
    const [, , parent, fork] = t.api.requests;
    expect(isFork(fork as RecordedRequest)).toBe(true);
    expect(fork?.body.system).toEqual(parent?.body.system);
    expect(fork?.body.tools).toEqual(parent?.body.tools);
    // All that the parent was asked with, and nothing of the answer that started the fork.
    const before = (parent?.body.messages ?? []).slice(0, -1);
    expect(JSON.stringify(fork?.body.messages.slice(0, before.length))).toBe(
      JSON.stringify(before),
    );
    const last = JSON.stringify(fork?.body.messages.at(-1));
    expect(last).toContain('Fork it.');
    expect(last).toContain('# Task\\n\\n');
    expect(last).toContain('the task');
    expect(last).not.toContain('beside');
    expect(told(t)).toContain('the fork says so');
    expect(t.session.log.transcript().agents.map(({ type }) => type)).toEqual(['fork']);
  });

  it('asks nobody and starts nobody, though it is sent the tools for it', async () => {
    const question = { question: 'Which?', header: 'Way', multiSelect: false };
    const options = [{ label: 'a' }, { label: 'b' }];
    const t = await start(
      [reply([agentCall('fork')]), reply('done')],
      [
        reply([
          toolUse('AskUserQuestion', { questions: [{ ...question, options }] }),
          agentCall('general-purpose'),
        ]),
        reply('I decided'),
      ],
    );
    await t.run('go');
    const second = said(t.api.requests[2] as RecordedRequest);
    expect(second).toContain('There is no tool named \\"AskUserQuestion\\"');
    expect(second).toContain('A sub-agent cannot start sub-agents.');
    expect(told(t)).toContain('I decided');
  });

  it('knows the same after a restart, and what it did itself', async () => {
    const resume = toolUse('SendMessage', { to: 'Watch', message: 'And now?' });
    const t = await start(
      [reply('noted'), reply([agentCall('fork')]), reply('done'), reply('more'), reply([resume])],
      [reply([echo('own step')]), reply('first report'), reply('second report')],
    );
    await t.run('Remember the number 41.');
    await t.run('Fork it.');
    await t.run('Something later.');
    await t.reopen();
    await t.run('Ask it again.');
    await expect.poll(() => t.api.requests.filter(isFork).length).toBe(3);
    const again = said(t.api.requests.filter(isFork)[2] as RecordedRequest);
    for (const part of ['number 41', 'Fork it.', 'own step', 'first report', 'And now?']) {
      expect(again).toContain(part);
    }
    expect(again).not.toContain('Something later.');
    await expect
      .poll(() => t.session.log.transcript().agents.map(({ status }) => status))
      .toEqual(['completed']);
  });
});

describe('what a sub-agent answers to several prompts', () => {
  /** Runs a sub-agent that is told more while it writes its only answer. `merge`: the small model's reply. */
  async function twice(merge: Reply) {
    const more = Promise.withResolvers<void>();
    const left: Reply[] = [
      reply([agentCall()]),
      reply([hold(more.promise), 'finding A']),
      reply('finding B'),
      merge,
      reply('done'),
    ];
    open = await openTestSession(() => left.shift() ?? reply('the end'), {
      tools: [createAgentTool(BUILT_IN_AGENTS)],
    });
    const t = open;
    const running = t.run('go');
    await expect.poll(() => t.api.requests.length).toBe(2);
    const [agent] = t.session.log.transcript().agents;
    t.session.main.environment.agent.agents
      ?.find(agent?.id ?? '')
      ?.work?.message('Look at B as well.');
    more.resolve();
    await running;
    return t;
  }

  it('is merged into one report by the small model', async () => {
    const t = await twice(reply('A and B'));
    const merging = said(t.api.requests[3] as RecordedRequest);
    expect(merging).toContain('Original task:\\nthe task');
    expect(merging).toContain('Finding 1:\\nfinding A\\n\\nFinding 2:\\nfinding B');
    expect(told(t)).toContain('A and B');
    // Its cost is the sub-agent's.
    const { agents, costs } = t.session.log.transcript();
    expect(costs.byAgent[agents[0]?.id ?? '']).toMatchObject({
      'claude-sonnet-5-5': { requests: 3 },
    });
  });

  it('stands whole, one below the other, where nobody can merge it', async () => {
    const t = await twice(error(400));
    expect(told(t)).toContain('Finding 1:\\nfinding A\\n\\nFinding 2:\\nfinding B');
  });
});
