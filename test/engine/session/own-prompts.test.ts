import { afterEach, expect, it } from 'vitest';
import {
  BUILT_IN_AGENTS,
  COORDINATOR_PROMPT,
  COORDINATOR_TOOLS,
} from '../../../src/main/engine/agents/definitions';
import type { HostPrompts } from '../../../src/main/engine/session/session-scope';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { fakeTerminals } from '../tasks/fake-terminals';
import { agentCall } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const systemOf = (n: number): readonly string[] => {
  const { system } = open?.api.requests[n]?.body ?? {};
  return Array.isArray(system) ? system.map(({ text }) => text) : [String(system)];
};

it.each<[string, HostPrompts]>([
  ['of settings, in a window', {}],
  ['of the command line, before those of settings', { system: 'Be a pirate.', append: 'Say arr.' }],
])('prompts: %s', async (_, prompts) => {
  const settings = { systemPrompt: 'Be a poet.', appendSystemPrompt: 'Rhyme.' };
  open = await openTestSession([reply(['ok'])], { settings, prompts, attended: true });
  await open.run('hello');
  const system = systemOf(0).join('\n');
  expect(system.startsWith(prompts.system ?? 'Be a poet.')).toBe(true);
  expect(system.trimEnd().endsWith(prompts.append ?? 'Rhyme.')).toBe(true);
});

it('of settings are not those of sub-agents, who have their own', async () => {
  open = await openTestSession(
    [
      reply([
        toolUse('Agent', {
          description: 'Look',
          prompt: 'Look.',
          subagent_type: 'general-purpose',
        }),
      ]),
      reply(['seen']),
      reply(['ok']),
    ],
    { settings: { systemPrompt: 'Be a poet.' }, tools: [createAgentTool(BUILT_IN_AGENTS)] },
  );
  await open.run('hello');
  expect(systemOf(0).join()).toContain('Be a poet.');
  expect(systemOf(1).join()).not.toContain('Be a poet.');
});

const toolsOf = (n: number): readonly string[] =>
  (open?.api.requests[n]?.body.tools ?? []).map(({ name }) => String(name));

it.each<[string, HostPrompts, Partial<EffectiveSettings>, RegExp]>([
  [
    'override',
    { override: 'O' },
    { coordinator: true, agent: 'Explore', systemPrompt: 'S' },
    /^O$/,
  ],
  [
    'coordinator',
    {},
    { coordinator: true, agent: 'Explore', systemPrompt: 'S' },
    /^You are .* coord/,
  ],
  ['agent', {}, { agent: 'Explore', systemPrompt: 'S' }, /^You explore/],
  ['agent of the command line', { agent: 'Explore' }, { coordinator: true }, /^You explore/],
  ['own text', {}, { systemPrompt: 'S' }, /^S$/],
])('the strongest counts: %s', async (_, prompts, settings, first) => {
  open = await openTestSession([reply(['ok'])], { settings, prompts });
  await open.run('hello');
  expect(systemOf(0)[0]).toMatch(first);
  expect(systemOf(0)).toHaveLength(prompts.override === undefined ? 2 : 1);
});

it('a coordinator has nothing to work with but agents, who have everything', async () => {
  const terminals = fakeTerminals();
  open = await openTestSession([reply([agentCall()]), reply('seen'), reply('Done.')], {
    prompts: { coordinator: true },
    tools: createBuiltinTools(),
    attended: true,
    terminals,
  });
  await open.run('Mend it.');
  expect(systemOf(0)[0]).toBe(COORDINATOR_PROMPT);
  expect(new Set(toolsOf(0))).toEqual(COORDINATOR_TOOLS);
  expect(systemOf(1)[0]).toMatch(/^You carry out one task.*for another agent, not for a user/s);
  expect(toolsOf(1)).toEqual(expect.arrayContaining(['Bash', 'Edit', 'Read']));
  expect(toolsOf(1)).not.toContain('Agent');
});

it('a coordinator that asks for another tool is told which it has', async () => {
  const read = toolUse('Read', { file_path: '/etc/hosts' });
  open = await openTestSession([reply([read]), reply('I see.')], {
    prompts: { coordinator: true },
    tools: createBuiltinTools(),
  });
  await open.run('Mend it.');
  const said = JSON.stringify(open.api.requests[1]?.body.messages);
  expect(said).toContain('There is no tool named \\"Read\\". Available: Agent,');
});

it('as an agent of a definition it has its tools and model, and no words for a parent', async () => {
  open = await openTestSession([reply('ok')], {
    prompts: { agent: 'Explore' },
    tools: createBuiltinTools(),
  });
  await open.run('Where is it?');
  expect(toolsOf(0)).toEqual(['Glob', 'Grep', 'Read', 'WebFetch', 'WebSearch']);
  expect(systemOf(0).join()).not.toContain('for another agent');
});

it('a name in settings that no agent or style has is told where it stands, and changes nothing', async () => {
  const file = '/home/.claude/settings.json';
  const places = { agent: { file, line: 2 }, outputStyle: { file, line: 3 } };
  open = await openTestSession([reply('ok')], {
    settings: { agent: 'Nobody', outputStyle: 'Nothing', places },
  });
  await open.run('hello');
  const { committed } = open.session.log.transcript();
  expect(JSON.stringify(committed)).toContain(
    `${file}, line 2: agent: There is no agent \\"Nobody\\" to work as.`,
  );
  expect(JSON.stringify(committed)).toContain(
    `${file}, line 3: outputStyle: There is no output style \\"Nothing\\"`,
  );
  expect(systemOf(0)[0]).toMatch(/^You are Lathe/);
});
