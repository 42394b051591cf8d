import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FULL_PLUGIN, MARKETPLACE, putAll } from '../../engine/plugins/support';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, processesOf, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;

vi.setConfig({ testTimeout: 120_000 });

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

test('--plugin-dir uses the plugin of a folder in one run', async () => {
  const folder = join(workspace.home, 'own');
  putAll(folder, { ...FULL_PLUGIN, ...PLAIN });
  const body = await ask('hello', '--plugin-dir', folder);
  expect(body).toContain('house:checker');
  expect(body).toContain(`the house at ${folder} says hello`);
});
