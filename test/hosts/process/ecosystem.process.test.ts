import { cp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, type Workspace } from './lathe';

/** A repository as people have them, in the formats of the ecosystem. */
const HARBOUR = join(import.meta.dirname, '..', '..', 'fixtures', 'ecosystem', 'harbour');

let workspace: Workspace;
let api: ScriptedApi;
let project: string;
beforeEach(async () => {
  workspace = await makeWorkspace();
  await cp(HARBOUR, workspace.project, { recursive: true });
  project = await realpath(workspace.project);
  api = await startScriptedApi(() => reply('fine'));
});
afterEach(async () => {
  expect(api.refusals).toEqual([]);
  await api.close();
  await workspace.remove();
});

/** Answers a prompt; gives the first request and what was complained about. */
async function ask(prompt: string, ...words: string[]) {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['-p', prompt, ...words], env);
  run.child.stdin.end();
  const { code, stderr } = await run.finished;
  expect(code).toBe(0);
  const body = api.requests[0]?.body;
  return {
    system: JSON.stringify(body?.system),
    messages: JSON.stringify(body?.messages),
    tools: (body?.tools ?? []).map((tool) => ('name' in tool ? tool.name : '')),
    complaints: stderr.replaceAll(project, '.').replaceAll(workspace.project, '.'),
  };
}

test('a trusted repository brings memory, rules, agents, skills, commands, style, hooks and denials', async () => {
  const { system, messages, tools, complaints } = await ask('go', '--trust');
  for (const text of [
    'Berths are numbered from the north.',
    'A berth is a place for one ship.',
    'My own note.',
    'Tides are in metres.',
    'pilot: Brings ships in',
    'tides: Reads the tide tables',
    'dock:ship: Docks a ship',
    'the lights are on',
  ])
    expect(messages).toContain(text);
  for (const text of ['a note to people', 'Use the tokens.', 'Only for people'])
    expect(messages).not.toContain(text);
  expect(system).toContain('Answer like a captain.');
  expect(tools).not.toContain('WebSearch');
  expect(tools).toContain('Skill');
  expect(complaints).toContain('.claude/agents/broken.md, line 1: description: a text is expected');
  expect(complaints).toContain('enabledPlugins: the plugin lost@nowhere is not installed');
});

test('a command is filled in; a skill knows its own folder', async () => {
  expect((await ask('/dock:ship Lark 7', '--trust')).messages).toContain('Dock Lark at berth 7.');
});

test('a skill knows its own folder', async () => {
  const { messages } = await ask('/tides "the north quay"', '--trust');
  expect(messages).toContain(`in ${project}/.claude/skills/tides.`);
});

test('of a repository that nobody trusts only its denials count, and what is left out is named', async () => {
  const { system, messages, tools, complaints } = await ask('go');
  expect(messages).not.toMatch(/numbered|own note|metres|pilot|tides|lights/);
  expect(system).not.toContain('captain');
  expect(tools).not.toContain('WebSearch');
  expect(complaints).toContain('CLAUDE.md');
});
