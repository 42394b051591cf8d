import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import type { Decide } from '../../../src/main/engine/permissions/request';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import type { Decision } from '../../../src/shared/permission';
import { createEchoTool } from '../../support/echo-tool';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { echo } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const ALLOWED: Decision = { behavior: 'allow', reason: 'test', why: ['test'], suggestions: [] };
const LOST = 'hooks: {PreToolUse: [{hooks: [{command: ./guard.sh}]}]}';

/** Runs a query, and tells of each call of Echo whether a rule asked about everything then. */
async function asked(
  files: Readonly<Record<string, string>>,
  script: Script,
  options: TestSessionOptions = {},
) {
  const seen: boolean[] = [];
  const decide: Decide = (request, rules) => {
    if (request.tool === 'Echo')
      seen.push(rules.some(({ behavior, text }) => behavior === 'ask' && text === 'Bash'));
    return ALLOWED;
  };
  open = await openTestSession(script, {
    tools: [createAgentTool(BUILT_IN_AGENTS), createEchoTool()],
    files,
    decide,
    ...options,
  });
  const events = await open.run('go');
  return { seen, told: events.flatMap((event) => (event.type === 'notice' ? event.text : [])) };
}

it('the calls of an agent that lost a guard ask, and those of others do not', async () => {
  const agent = `---\nname: writer\ndescription: Writes\n${LOST}\n---\nWrite.`;
  const { seen, told } = await asked({ '.claude/agents/writer.md': agent }, [
    reply([toolUse('Agent', { description: 'd', prompt: 'p', subagent_type: 'writer' })]),
    reply([echo('sub')]),
    reply('done'),
    reply([echo('main')]),
    reply('done'),
  ]);
  expect(seen).toEqual([true, false]);
  expect(told).toEqual([expect.stringContaining('asks before every call of this agent')]);
});

it('calls ask while a skill is in use that lost a guard', async () => {
  const skill = `---\ndescription: Ships\n${LOST}\n---\nShip it.\n`;
  const { seen } = await asked({ '.claude/skills/ship/SKILL.md': skill }, [
    reply([echo('before')]),
    reply([toolUse('Skill', { skill: 'ship' })]),
    reply([echo('while')]),
    reply('done'),
  ]);
  expect(seen).toEqual([false, true]);
});

it.each([
  ['name: boss\ndescription: y\ntools: 5', true],
  ['name: other\ndescription: y\ntools: 5', false],
])('a session asks where the agent that settings name is left out: %s', async (fields, asks) => {
  const { seen } = await asked(
    { '.claude/agents/x.md': `---\n${fields}\n---\nDo it.` },
    [reply([echo('main')]), reply('done')],
    { settings: { agent: 'boss' } },
  );
  expect(seen).toEqual([asks]);
});
