import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { effortAsked } from '../../../src/main/engine/session/sub-agents';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createSendMessageTool } from '../../../src/main/engine/tools/builtin/send-message/send-message';
import type { HookSetting } from '../../../src/shared/hooks';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { hook } from '../hooks/support';
import { until } from '../tasks/set-up';
import { isMain, TASK } from './sub-agent-session';

let t: TestSession;
afterEach(async () => {
  expect(t.api.refusals).toEqual([]);
  await t.close();
});

const scout = (more: object = {}) =>
  reply([toolUse('Agent', { ...TASK, name: 'scout', ...more }, 'a1')]);

/** Runs a prompt in which agents get their answers from a list of their own; hooks are a program's, which hears of them. */
async function run(
  main: readonly Reply[],
  agents: readonly Reply[],
  answer: (event: Readonly<Record<string, unknown>>) => string = () => '',
  ...events: HookSetting['event'][]
) {
  const left = { main: [...main], agents: [...agents] };
  const heard: Record<string, unknown>[] = [];
  t = await openTestSession(
    ({ body }) => (isMain(body) ? left.main : left.agents).shift() ?? reply('the end'),
    {
      tools: [createAgentTool(BUILT_IN_AGENTS), createSendMessageTool()],
      settings: { hooks: events.map((event) => hook(event, event, { type: 'callback' })) },
      host: (plain) => ({
        ...plain,
        program: {
          runHook: async (_hook, input) => {
            const event = JSON.parse(input);
            heard.push(event);
            const stderr = answer(event);
            return { kind: 'exited', exitCode: stderr === '' ? 0 : 2, stdout: '', stderr };
          },
        },
      }),
    },
  );
  for await (const _ of t.session.submit('go'));
  return heard;
}

const saidByAgents = () =>
  t.api.requests.filter(({ body }) => !isMain(body)).map(({ body }) => JSON.stringify(body));

describe('a sub-agent with a name', () => {
  it('is reached by it, also after its end', async () => {
    const message = { to: 'scout', message: 'And the swans?' };
    await run(
      [scout(), reply([toolUse('SendMessage', message, 's1')]), reply('done')],
      [reply('Seven geese.'), reply('Two swans.')],
    );
    expect(t.session.log.transcript().agents).toMatchObject([{ name: 'scout', title: 'Watch' }]);
    await until(() => saidByAgents().length === 2);
    expect(saidByAgents().at(-1)).toContain('And the swans?');
  });

  it('keeps teammates from idling where a hook says so, with its words', async () => {
    const orders = ['And the swans?'];
    const heard = await run(
      [scout(), reply('done')],
      [reply('Seven geese.'), reply('Two swans.')],
      (event) => (event['hook_event_name'] === 'TeammateIdle' ? (orders.shift() ?? '') : ''),
      'SubagentStop',
      'TeammateIdle',
    );
    expect(heard.map((event) => event['hook_event_name'])).toEqual([
      ...['SubagentStop', 'TeammateIdle', 'SubagentStop', 'TeammateIdle'],
    ]);
    const { sessionId } = t.session.log;
    expect(heard[1]).toMatchObject({
      teammate_name: 'scout',
      team_name: `session-${sessionId.slice(0, 8)}`,
    });
    expect(saidByAgents()).toHaveLength(2);
    expect(saidByAgents().at(-1)).toContain('And the swans?');
  });

  it('is no teammate without one', async () => {
    const heard = await run(
      [scout({ name: undefined }), reply('done')],
      [reply('Seven geese.')],
      () => '',
      'TeammateIdle',
    );
    expect(heard).toEqual([]);
  });
});

it.each([
  [{ effort: 'low' }, 'low'],
  [{ effort: 'low', prompt: 'ultrathink' }, 'low'],
  [{ prompt: 'Count. Think hard about the swans.' }, 'xhigh'],
  [{ prompt: 'ULTRATHINK: count.' }, 'max'],
  [{ prompt: 'I think hardly anybody counts.' }, 'high'],
])('a sub-agent of %j thinks with the effort %s', async (more, effort) => {
  await run([scout(more), reply('done')], [reply('Seven geese.')]);
  expect(saidByAgents()[0]).toContain(`"effort":"${effort}"`);
});

it.each([
  ['think', 'low', 'low'],
  ['think deeply', 'low', 'xhigh'],
  ['think harder', 'xhigh', 'max'],
  ['think hard', 'max', 'max'],
  ['rethink hard', 'high', 'high'],
])('%j asks for no less than %s: %s', (prompt, usual, effort) => {
  expect(effortAsked(prompt, usual)).toBe(effort);
});
