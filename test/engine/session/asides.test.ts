import { afterEach, expect, test } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import type { AgentProgress } from '../../../src/main/engine/session/asides';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { MAIN_AGENT } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import { error, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { soon } from '../../support/soon';
import { agentCall, echo, isMain, waitTool } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const never = new AbortController().signal;
const said = (part: unknown): string => JSON.stringify(part ?? null);

test.each([
  ['Run the tests', 'Run the tests'],
  ['NOTHING', null],
  ['Nothing.', null],
  ['x'.repeat(301), null],
  ['', null],
])('asked what comes next, the model says %j: %j', async (words, expected) => {
  open = await openTestSession([reply('Hello'), reply(words === '' ? [] : words)]);
  await open.run('hi');
  const { session, api } = open;
  const before = session.main.state.history();
  const purposes: string[] = [];
  session.log.listen(
    ({ event }) => void (event.type === 'side_call' && purposes.push(event.purpose)),
  );
  expect(await session.asides.nextPrompt(never)).toBe(expected);
  const [first, second] = api.requests.map(({ body }) => body);
  expect(said(second?.system)).toBe(said(first?.system));
  expect(said(second?.tools)).toBe(said(first?.tools));
  expect(said(second?.messages)).toContain('Hello');
  expect(session.main.state.history()).toEqual(before);
  expect(purposes).toEqual(['prompt suggestion']);
});

test('a suggestion that fails is none, and is not tried again', async () => {
  open = await openTestSession([reply('Hello'), error(529)]);
  await open.run('hi');
  expect(await open.session.asides.nextPrompt(never)).toBeNull();
  expect(open.api.requests).toHaveLength(2);
});

test('nothing is suggested when the money is spent', async () => {
  open = await openTestSession([reply('Hello')], {
    limits: { maxTurns: null, maxBudgetUsd: 0.000_001 },
  });
  await open.run('hi');
  expect(await open.session.asides.nextPrompt(never)).toBeNull();
  expect(open.api.requests).toHaveLength(1);
});

test('a running sub-agent says now and then what it does, as long as that changes', async () => {
  const gate = Promise.withResolvers<void>();
  const asks = (body: { readonly messages?: unknown }) =>
    said(body.messages).includes('What are you doing right now?');
  const agents = [reply([echo('a', 'e1')]), reply([toolUse('Wait', {}, 'w1')]), reply('done')];
  const main = [reply([agentCall('general-purpose', 'c1')]), reply('the end')];
  open = await openTestSession(
    ({ body }) =>
      asks(body)
        ? reply('Reading the parser')
        : ((isMain(body) ? main : agents).shift() ?? reply('too many')),
    { tools: [createEchoTool(), waitTool(gate.promise), createAgentTool(BUILT_IN_AGENTS)] },
  );
  const { session, clock, api } = open;
  const told: AgentProgress[] = [];
  const end = session.asides.onProgress((progress) => told.push(progress));
  let answers = 0;
  session.log.listen(({ event, agentId }) => {
    if (event.type === 'message_finished' && agentId !== MAIN_AGENT) answers += 1;
  });
  const running = open.run('go');
  await soon(() => expect([answers, api.requests.length]).toEqual([2, 3]));
  await clock.advance(30_000);
  await soon(() => expect(told).toHaveLength(1));
  expect(told[0]).toMatchObject({
    ...{ callId: 'c1', title: 'Watch', type: 'general-purpose', summary: 'Reading the parser' },
    ...{ calls: 2, lastTool: 'Wait', tookMs: 30_000 },
  });
  const asked = api.requests.filter(({ body }) => asks(body));
  // No call stands open in what is sent.
  expect(said(asked[0]?.body.messages)).toContain('"e1"');
  expect(said(asked[0]?.body.messages)).not.toContain('"w1"');
  // Nothing has changed since.
  await clock.advance(30_000);
  gate.resolve();
  await running;
  await clock.advance(60_000);
  end();
  expect(api.requests.filter(({ body }) => asks(body))).toHaveLength(1);
});

test('a look at a sub-agent that fails tells nothing, and the next one is taken all the same', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const agents = [reply([toolUse('Wait', {}, 'w1')]), reply([toolUse('Late', {}, 'w2')])];
  const main = [reply([agentCall('general-purpose', 'c1')]), reply('the end')];
  const late = { ...waitTool(second.promise), name: 'Late' };
  open = await openTestSession(
    ({ body }) =>
      said(body.messages).includes('What are you doing right now?')
        ? reply('Reading the parser')
        : ((isMain(body) ? main : agents).shift() ?? reply('done')),
    { tools: [waitTool(first.promise), late, createAgentTool(BUILT_IN_AGENTS)] },
  );
  const { session, clock } = open;
  let looks = 0;
  const told: AgentProgress[] = [];
  const end = session.asides.onProgress((progress) => {
    looks += 1;
    if (looks === 1) throw new Error('the program is gone');
    told.push(progress);
  });
  let answers = 0;
  session.log.listen(({ event, agentId }) => {
    if (event.type === 'message_finished' && agentId !== MAIN_AGENT) answers += 1;
  });
  const running = open.run('go');
  await soon(() => expect(answers).toBe(1));
  await clock.advance(30_000);
  await soon(() => expect(looks).toBe(1));
  first.resolve();
  await soon(() => expect(answers).toBe(2));
  await clock.advance(30_000);
  await soon(() => expect(told).toHaveLength(1));
  second.resolve();
  await running;
  end();
});
