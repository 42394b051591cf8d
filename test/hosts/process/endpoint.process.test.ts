import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, reply, toolUse } from '../../support/scripted-api-replies';
import { type Finished, lathe, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;
beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await api?.close();
  api = null;
  await workspace.remove();
});

/** Runs one prompt with settings of the user and of the project; no key in the environment. */
async function run(
  script: Script,
  settings: { readonly user?: object; readonly project?: object },
  ...words: string[]
): Promise<Finished> {
  const server = await startScriptedApi(script);
  api = server;
  const write = async (folder: string, value: object | undefined) => {
    if (value === undefined) return;
    const text = JSON.stringify(value).replaceAll('API_URL', server.url);
    await mkdir(join(folder, '.claude'), { recursive: true });
    await writeFile(join(folder, '.claude', 'settings.json'), text);
  };
  await write(workspace.home, settings.user);
  await write(workspace.project, settings.project);
  const { child, finished } = lathe(workspace, ['-p', 'hi', ...words], {
    ANTHROPIC_BASE_URL: api.url,
  });
  child.stdin.end();
  return finished;
}

/** A helper that prints another key at each run. */
async function helper(folder: string): Promise<string> {
  const file = join(folder, 'key.sh');
  await writeFile(
    file,
    `#!/bin/sh\necho x >> ${folder}/runs\necho "key-$(grep -c x ${folder}/runs)"\n`,
  );
  await chmod(file, 0o755);
  return file;
}

const keys = () => api?.requests.map(({ headers }) => headers['x-api-key']) ?? [];

describe('env of settings', () => {
  const own = { env: { ANTHROPIC_BASE_URL: 'API_URL', ANTHROPIC_AUTH_TOKEN: 'token-1' } };
  const elsewhere = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };

  test('says whom to ask, with which key and for which model; commands get no key of it', async () => {
    const env = { ...own.env, ANTHROPIC_DEFAULT_OPUS_MODEL: 'their-model' };
    const script = [reply([toolUse('Bash', { command: 'env; echo; true' })]), reply('fine')];
    const flags = ['--permission-mode', 'bypassPermissions'];
    const done = await run(script, { user: { env } }, ...flags, '--model', 'opus');
    expect(done).toMatchObject({ code: 0, stdout: 'fine\n' });
    expect(api?.requests[0]?.headers['authorization']).toBe('Bearer token-1');
    expect(api?.requests[0]?.body.model).toBe('their-model');
    expect(JSON.stringify(api?.requests[1]?.body)).not.toContain('token-1');
  });

  test('of a file on the command line goes before that of the user', async () => {
    const file = join(workspace.project, 'router.json');
    const token = { env: { ANTHROPIC_AUTH_TOKEN: 'token-2' } };
    await writeFile(file, JSON.stringify(token));
    const done = await run([reply('fine')], { user: own }, '--settings', 'router.json');
    expect(done).toMatchObject({ code: 0, stdout: 'fine\n' });
    expect(api?.requests[0]?.headers['authorization']).toBe('Bearer token-2');
  });

  test('of a project never says where the key goes, trusted or not', async () => {
    const settings = { user: own, project: { env: elsewhere } };
    expect(await run([reply('fine')], settings, '--trust')).toMatchObject({ code: 0 });
    expect(api?.requests).toHaveLength(1);
  });
});

describe('apiKeyHelper', () => {
  test('gives the key, and another one when it was refused', async () => {
    const apiKeyHelper = await helper(workspace.home);
    const script: Script = ({ headers }) =>
      headers['x-api-key'] === 'key-2' ? reply('fine') : error(401);
    const done = await run(script, { user: { apiKeyHelper } });
    expect(done).toMatchObject({ code: 0, stdout: 'fine\n', stderr: '' });
    expect(keys()).toEqual(['key-1', 'key-2']);
    expect(api?.requests[1]?.headers['authorization']).toBe('Bearer key-2');
  });

  test('is run once more at most, and its key is told to nobody', async () => {
    const apiKeyHelper = await helper(workspace.home);
    const done = await run(() => error(401, 'bad key key-1 key-2'), { user: { apiKeyHelper } });
    expect(done).toMatchObject({ code: 1, stderr: '' });
    expect(done.stdout).toMatch(/refused the key \(401\).*apiKeyHelper/);
    expect(done.stdout).not.toMatch(/key-\d/);
    expect(keys()).toEqual(['key-1', 'key-2']);
  });

  test('that fails is named with its file and exit code', async () => {
    const done = await run([], { user: { apiKeyHelper: 'echo hidden; exit 7' } });
    expect(done).toMatchObject({ code: 1, stderr: '' });
    expect(done.stdout).toMatch(/apiKeyHelper in .*settings\.json failed with exit code 7\./);
    expect(done.stdout).not.toContain('hidden');
    expect(keys()).toEqual([]);
  });

  test('of a project counts when the project is trusted, not before', async () => {
    const apiKeyHelper = await helper(workspace.project);
    const untrusted = await run([reply('fine')], { project: { apiKeyHelper } });
    expect(untrusted.code).toBe(1);
    expect(untrusted.stderr).toMatch(/no API key/);
    expect(keys()).toEqual([]);
    await api?.close();
    const trusted = await run([reply('fine')], { project: { apiKeyHelper } }, '--trust');
    expect(trusted).toMatchObject({ code: 0, stdout: 'fine\n' });
    expect(keys()).toEqual(['key-1']);
  });
});

describe('endpoints', () => {
  const apiKeyHelper = 'echo some-key';

  test('version and betas are those of the address', async () => {
    const endpoints = {
      'API_URL/': { apiVersion: '2023-06-01', betas: ['one-2026-01-01', 'two-2026-01-01'] },
      'https://elsewhere.example': { apiVersion: '2020-01-01' },
    };
    expect((await run([reply('fine')], { user: { apiKeyHelper, endpoints } })).code).toBe(0);
    expect(api?.requests[0]?.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2026-01-01,two-2026-01-01',
    });
  });

  test('a refused version names the setting', async () => {
    const refused = error(400, 'anthropic-version: 2026-10-21 is not supported');
    const done = await run([refused], { user: { apiKeyHelper } });
    expect(done.code).toBe(1);
    expect(done.stdout).toMatch(/is not supported\. .*"endpoints" in settings.*"2023-06-01"/);
  });

  test('a setting that cannot be used is told with file and line', async () => {
    const endpoints = { API_URL: { apiVersion: 'latest' } };
    const done = await run([reply('fine')], { user: { apiKeyHelper, endpoints } });
    expect(done.stderr).toMatch(/settings\.json.*line 1: endpoints: an object of addresses/);
  });
});
