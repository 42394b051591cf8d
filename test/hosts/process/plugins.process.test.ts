import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FULL_PLUGIN, MARKETPLACE, putAll } from '../../engine/plugins/support';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, processesOf, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;

beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await api?.close();
  api = null;
  await expect.poll(() => processesOf(workspace)).toEqual([]);
  await workspace.remove();
});

const plugin = async (...words: string[]) => lathe(workspace, ['plugin', ...words]).finished;

/** What would start something, or would be told of, is left out. */
const PLAIN = {
  '.mcp.json': { mcpServers: {} },
  'agents/checker.md': '---\nname: checker\ndescription: Checks the house\n---\nCheck it.',
};

/** Answers a prompt and returns the body of the first request. */
async function ask(prompt: string, ...words: string[]): Promise<string> {
  api = await startScriptedApi(() => reply('fine'));
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['-p', prompt, '--trust', ...words], env);
  run.child.stdin.end();
  const { code, stderr } = await run.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const body = JSON.stringify(api.requests[0]?.body);
  await api.close();
  return body;
}

test('a plugin of a git marketplace is shown, installed, used, updated and removed', async () => {
  const town = join(workspace.home, 'town');
  putAll(town, MARKETPLACE);
  putAll(join(town, 'plugins', 'house'), PLAIN);
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', town, '-c', 'user.name=A', '-c', 'user.email=a@b', ...words]);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');

  expect(await plugin('marketplace', 'add', `file://${town}`)).toMatchObject({ code: 0 });
  const shown = await plugin('install', 'house@town');
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain('hook  SessionStart: ');
  expect(shown.stdout).toContain('agent  house:checker: Checks the house');
  expect(shown.stderr).toContain('--yes');
  expect(await plugin('install', 'house@town', '--yes')).toMatchObject({ code: 0 });

  const body = await ask('/house:greet Bob');
  expect(body).toContain('Greet Bob from ');
  expect(body).toContain('house:checker');
  expect(body).toContain('says hello');

  putAll(town, { 'plugins/house/commands/greet.md': 'Wave at $ARGUMENTS' });
  git('commit', '-q', '-a', '-m', 'wave');
  expect(await plugin('marketplace', 'update', 'town')).toMatchObject({ code: 0 });
  expect((await plugin('list')).stdout).toContain('another version is there');
  expect(await ask('/house:greet Bob')).toContain('Greet Bob from ');
  expect(await plugin('update', 'house@town', '--yes')).toMatchObject({ code: 0 });
  expect(await ask('/house:greet Bob')).toContain('Wave at Bob');

  expect(await plugin('disable', 'house@town')).toMatchObject({ code: 0 });
  expect(await ask('hello')).not.toContain('house:checker');
  expect(await plugin('enable', 'house@town')).toMatchObject({ code: 0 });
  expect(await plugin('remove', 'house@town')).toMatchObject({ code: 0 });
  expect((await plugin('list')).stdout).toContain('not installed');
});

test('values of options are set and taken back, if they fit', async () => {
  const town = join(workspace.home, 'town');
  putAll(town, MARKETPLACE);
  putAll(join(town, 'plugins', 'house'), {
    ...PLAIN,
    '.claude-plugin/plugin.json': {
      name: 'house',
      userConfig: { rooms: { type: 'number', max: 9 }, street: { description: 'Where it stands' } },
    },
  });
  await plugin('marketplace', 'add', town);
  await plugin('install', 'house@town', '--yes');
  const file = join(workspace.home, '.claude', 'settings.json');
  const kept = () => JSON.parse(readFileSync(file, 'utf8')).pluginConfigs?.['house@town']?.options;

  expect(await plugin('set', 'house@town', 'rooms', '4')).toMatchObject({ code: 0 });
  expect(await plugin('set', 'house@town', 'street', 'Quay 7')).toMatchObject({ code: 0 });
  expect(kept()).toEqual({ rooms: 4, street: 'Quay 7' });
  for (const [words, why] of [
    [['rooms', '12'], 'rooms: a number of at most 9 is expected'],
    [['roofs', '1'], 'has no option "roofs"'],
  ] as const) {
    const { code, stderr } = await plugin('set', 'house@town', ...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  }
  expect((await plugin('set', 'house@town', 'rooms')).code).toBe(2);
  expect(await plugin('unset', 'house@town', 'rooms')).toMatchObject({ code: 0 });
  expect(kept()).toEqual({ street: 'Quay 7' });
});

test('--plugin-dir uses the plugin of a folder in one run', async () => {
  const folder = join(workspace.home, 'own');
  putAll(folder, { ...FULL_PLUGIN, ...PLAIN });
  const body = await ask('hello', '--plugin-dir', folder);
  expect(body).toContain('house:checker');
  expect(body).toContain(`the house at ${folder} says hello`);
});

test('a run installs first what settings of the user turn on, and says what it could not', async () => {
  const town = join(workspace.home, 'town');
  putAll(town, MARKETPLACE);
  putAll(join(town, 'plugins', 'house'), PLAIN);
  const settings = (...ids: string[]) =>
    putAll(workspace.home, {
      '.claude/settings.json': {
        enabledPlugins: Object.fromEntries(ids.map((id) => [id, true])),
        extraKnownMarketplaces: { town: { source: { source: 'directory', path: town } } },
      },
    });
  const run = async () => {
    api = await startScriptedApi(() => reply('fine'));
    const key = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
    const env = { ...key, CLAUDE_CODE_SYNC_PLUGIN_INSTALL: '1' };
    const running = lathe(workspace, ['-p', 'hello'], env);
    running.child.stdin.end();
    const { code, stdout, stderr } = await running.finished;
    await api.close();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'fine\n' });
    expect(JSON.stringify(api.requests[0]?.body)).toContain('house:checker');
    return stderr;
  };
  settings('house@town');
  expect(await run()).toBe('');
  settings('house@town', 'barn@town');
  expect(await run()).toMatch(
    /^Warning: barn@town could not be installed: barn@town is not offered by town\. [^\n]*\nWarning: [^\n]*barn@town is not installed[^\n]*\n$/,
  );
});

test('an agent of a plugin works with the hooks and the option of the plugin around it', async () => {
  const folder = join(workspace.home, 'guild');
  const hook = (script: string) => [
    {
      matcher: 'guild:smith',
      hooks: [{ type: 'command', command: `"$CLAUDE_PLUGIN_ROOT/${script}"` }],
    },
  ];
  putAll(folder, {
    '.claude-plugin/plugin.json': {
      name: 'guild',
      userConfig: { town: { description: 'Where it works', required: true } },
    },
    'agents/smith.md': '---\nname: smith\ndescription: Forges\n---\nYou forge iron.',
    'hooks/hooks.json': {
      hooks: { SubagentStart: hook('start.sh'), SubagentStop: hook('stop.sh') },
    },
    'start.sh':
      '#!/bin/sh\necho "{\\"hookSpecificOutput\\":{\\"hookEventName\\":\\"SubagentStart\\",\\"additionalContext\\":\\"The forge is in $CLAUDE_PLUGIN_OPTION_TOWN.\\"}}"\n',
    'stop.sh': [
      '#!/bin/sh',
      'in=$(cat)',
      'case $in in *stop_hook_active\\":true*) exit 0;; esac',
      'case $in in *guild:smith*) echo "quench it first" >&2; exit 2;; esac',
    ].join('\n'),
  });
  putAll(workspace.home, {
    '.claude/settings.json': { pluginConfigs: { guild: { options: { town: 'Bergen' } } } },
  });
  let asked = false;
  api = await startScriptedApi(({ body }) => {
    if (JSON.stringify(body.system).includes('You forge iron.'))
      return reply(JSON.stringify(body.messages).includes('quench it first') ? 'quenched' : 'hot');
    if (asked) return reply('done');
    asked = true;
    return reply([
      toolUse('Agent', { subagent_type: 'guild:smith', description: 'forge', prompt: 'A nail' }),
    ]);
  });
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['-p', 'go', '--trust', '--plugin-dir', folder], env);
  run.child.stdin.end();
  const { code, stderr } = await run.finished;
  expect(code).toBe(0);
  expect(stderr).toMatch(/^Hook SubagentStop \(guild:smith\) blocked: quench it first [^\n]*\n$/);
  const bodies = api.requests.map(({ body }) => JSON.stringify(body));
  expect(bodies).toHaveLength(4);
  expect(bodies[0]).toContain('guild:smith: Forges');
  expect(bodies[1]).toContain('The forge is in Bergen.');
  expect(bodies[2]).toContain('quench it first');
  expect(bodies[3]).toContain('quenched');
});
