import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { startScriptedProvider } from '../../support/scripted-providers';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi;
beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi(() => reply('ok'));
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

/** Runs one prompt under settings that bind like those of the machine. */
async function run(managed: object, words: readonly string[] = [], env = {}) {
  const { child, finished } = lathe(
    workspace,
    [
      ...['-p', 'hi', '--output-format', 'stream-json', '--verbose', '--trust'],
      ...['--managed-settings', JSON.stringify(managed), ...words],
    ],
    { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: api.url, ...env },
  );
  child.stdin.end();
  const done = await finished;
  const lines = done.stdout.trim() === '' ? [] : linesOf(done.stdout);
  return {
    ...done,
    init: lines.find(({ subtype }) => subtype === 'init'),
    result: String(lines.find(({ type }) => type === 'result')?.['result'] ?? ''),
  };
}

async function put(place: 'home' | 'project', files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    const file = join(workspace[place], name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

const agent = (name: string) => `---\nname: ${name}\ndescription: helps\n---\nHelp.\n`;
const skill = (name: string) => `---\nname: ${name}\ndescription: helps\n---\nDo it.\n`;

test('what people add comes from plugins alone where managed settings say so', async () => {
  const ran = join(workspace.home, 'ran');
  const hook = (name: string) => ({
    SessionStart: [{ hooks: [{ type: 'command', command: `touch ${ran}-${name}` }] }],
  });
  const server = { mcpServers: { mine: { command: 'touch', args: [`${ran}-server`] } } };
  await put('home', {
    '.claude/agents/own.md': agent('own'),
    '.claude/skills/own-skill/SKILL.md': skill('own-skill'),
    '.claude/commands/own-command.md': 'Do it.',
    '.claude/settings.json': JSON.stringify({ hooks: hook('user') }),
    'plugin/.claude-plugin/plugin.json': '{"name": "team"}',
    'plugin/agents/helper.md': agent('helper'),
    'plugin/skills/deploy/SKILL.md': skill('deploy'),
    'plugin/hooks/hooks.json': JSON.stringify({ hooks: hook('plugin') }),
  });
  await put('project', {
    '.claude/agents/ours.md': agent('ours'),
    '.claude/skills/our-skill/SKILL.md': skill('our-skill'),
    '.claude/settings.json': JSON.stringify({ hooks: hook('project') }),
    '.mcp.json': JSON.stringify(server),
  });
  const words = ['--plugin-dir', join(workspace.home, 'plugin')];
  const names = ({ init }: Awaited<ReturnType<typeof run>>) =>
    JSON.stringify([init?.['agents'], init?.['slash_commands'], init?.['mcp_servers']]);
  const all = names(await run({}, words));
  for (const name of ['own', 'ours', 'own-skill', 'own-command', 'our-skill', 'mine'])
    expect(all).toContain(`"${name}"`);
  for (const name of ['user', 'project', 'plugin']) expect(existsSync(`${ran}-${name}`)).toBe(true);

  for (const name of ['user', 'project', 'plugin', 'server'])
    await rm(`${ran}-${name}`, { force: true });
  const strict = await run({ strictPluginOnlyCustomization: true }, words);
  expect(strict.code).toBe(0);
  for (const name of ['own', 'ours', 'own-skill', 'own-command', 'our-skill', 'mine'])
    expect(names(strict)).not.toContain(`"${name}"`);
  for (const name of ['team:helper', 'team:deploy']) expect(names(strict)).toContain(name);
  expect(['user', 'project', 'server'].filter((name) => existsSync(`${ran}-${name}`))).toEqual([]);
  expect(existsSync(`${ran}-plugin`)).toBe(true);

  const some = await run({ strictPluginOnlyCustomization: ['agents', 'mcp'] }, words);
  expect(names(some)).toContain('"own-skill"');
  for (const name of ['own', 'ours', 'mine']) expect(names(some)).not.toContain(`"${name}"`);
});

test.each([
  ['--agents', '{"a": {"description": "d", "prompt": "p"}}'],
  ['--plugin-dir', '.'],
  ['--mcp-config', '{"mcpServers": {"a": {"command": "true"}}}'],
])('managed settings can refuse %s', async (flag, value) => {
  const { code, stderr, stdout } = await run({ disableSideloadFlags: true }, [flag, value]);
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(`Managed settings refuse ${flag} (disableSideloadFlags).`);
  expect(api.requests).toEqual([]);
});

test('no more effort is asked for than the lowest of the files lets', async () => {
  await put('home', { '.claude/settings.json': '{"maxEffortLevel": "medium"}' });
  await run({ maxEffortLevel: 'high' }, ['--effort', 'max']);
  await run({}, ['--effort', 'low']);
  expect(
    api.requests.map(({ body }) => (body['output_config'] as { effort?: string }).effort),
  ).toEqual(['medium', 'low']);
});

test('only the providers that managed settings list are asked', async () => {
  const refused = await run({ allowedProviders: ['anthropic', 'bedrock'] });
  expect(refused.code).toBe(1);
  expect(refused.result).toMatch(/This endpoint is not in allowedProviders/);
  const foreign = await run({ allowedProviders: ['customEndpoint'] });
  expect(foreign.code).toBe(1);
  expect(api.requests).toEqual([]);
});

test('models have other names at a cloud provider where settings say so', async () => {
  const cloud = await startScriptedProvider('bedrock', [reply('hello')]);
  const ids = { 'claude-opus-5-5': 'arn:aws:bedrock:us-east-1:1:inference-profile/x' };
  await put('home', { '.claude/settings.json': JSON.stringify({ modelOverrides: ids }) });
  const env = {
    ...{ CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1' },
    ANTHROPIC_BEDROCK_BASE_URL: cloud.url,
  };
  const { result } = await run({}, [], env);
  await cloud.close();
  expect(result).toBe('hello');
  expect(cloud.requests[0]?.path).toContain('inference-profile/x');
});

test('skills are hidden, listed by name or left to the user where settings say so', async () => {
  const wishes = { gone: 'off', 'ns:far': 'off', brief: 'name-only', mine: 'user-invocable-only' };
  await put('home', {
    '.claude/settings.json': JSON.stringify({ skillOverrides: { ...wishes, other: 'perhaps' } }),
  });
  await put('project', {
    ...Object.fromEntries(
      ['gone', 'brief', 'mine', 'other', 'free'].map((name) => [
        `.claude/skills/${name}/SKILL.md`,
        skill(name),
      ]),
    ),
    '.claude/commands/ns/far.md': 'Do it.',
  });
  const { init, stderr } = await run({});
  expect(init?.['skills']).toEqual(['brief', 'free', 'mine']);
  const told = JSON.stringify(api.requests[0]?.body.messages);
  expect(told).toContain('- brief\\n- free: helps\\n');
  expect(told).not.toContain('- mine');
  expect(stderr).toMatch(/line 1: skillOverrides\.other: one of on, .* it counts as off/);
  await run({ skillOverrides: { free: 'off' } });
  expect(JSON.stringify(api.requests[1]?.body.messages)).toContain('- free: helps');
});
