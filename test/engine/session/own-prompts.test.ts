import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import type { HostPrompts } from '../../../src/main/engine/session/session-scope';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

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
