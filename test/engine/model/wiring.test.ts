import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoredKey } from '../../../src/main/app/key-store';
import { openHeadless } from '../../../src/main/compose';
import { createNodeFiles } from '../../../src/main/node/files';
import { ok } from '../../../src/shared/result';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { startScriptedProvider } from '../../support/scripted-providers';

let root = '';
let api: ScriptedApi | null = null;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lathe-wiring-'));
  await createNodeFiles().makeDirectory(join(root, 'project'));
});
afterEach(async () => {
  await api?.close();
  api = null;
  await rm(root, { recursive: true, force: true });
});

const serve = async (script: Script, apiKey?: string) => {
  api = await startScriptedApi(script, apiKey === undefined ? {} : { apiKey });
  return api.url;
};

/** One prompt through everything the command line wires, and the text of its end. */
async function ask(
  env: Readonly<Record<string, string>>,
  stored: () => StoredKey | null = () => null,
): Promise<string> {
  const opened = await openHeadless(
    {
      folder: join(root, 'project'),
      trust: true,
      fork: false,
      allowedTools: [],
      disallowedTools: [],
      addDirectories: [],
    },
    {
      latheHome: join(root, 'lathe-home'),
      env: { HOME: join(root, 'user'), PATH: process.env['PATH'] ?? '', ...env },
      version: '0.0.0-test',
      documentReader: join(root, 'none.js'),
      sandboxHost: join(root, 'none.js'),
      launchTerminalHost: { execPath: process.execPath, args: [], env: {}, version: '0.0.0-test' },
      resources: join(root, 'resources'),
      keyStore: {
        describe: () => 'a test',
        get: async () => stored(),
        set: async () => ok(null),
        clear: async () => ok(null),
      },
    },
  );
  if (!opened.ok) throw new Error(opened.error.message);
  let text = '';
  for await (const { event } of opened.value.submit('say hello'))
    if (event.type === 'query_finished') text = event.text;
  await opened.value.close();
  return text;
}

it('records with a key and plays back without key and server', async () => {
  const url = await serve([reply('hello from the wire')]);
  const key = 'sk-ant-of-the-wiring-test';
  expect(await ask({ LATHE_VCR: 'record', ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url })).toBe(
    'hello from the wire',
  );
  await api?.close();
  api = null;
  const folder = join(root, 'lathe-home', 'cassettes');
  const [name = ''] = await readdir(folder);
  const cassette = await readFile(join(folder, name), 'utf8');
  expect(cassette).not.toContain(key);
  expect(cassette).not.toContain(root);
  expect(await ask({ LATHE_VCR: 'playback' })).toBe('hello from the wire');
});

it('looks a refused key up anew, once', async () => {
  const baseUrl = await serve([reply('with the new key')], 'new-key');
  let asked = 0;
  const stored = () => ({ key: asked++ === 0 ? 'old-key' : 'new-key', baseUrl });
  expect(await ask({}, stored)).toBe('with the new key');
  expect(api?.requests.map((r) => r.headers['x-api-key'])).toEqual(['old-key', 'new-key']);
  asked = 0;
  expect(await ask({}, () => ({ key: 'wrong-key', baseUrl }))).toMatch(/refused the key \(401\)/);
  expect(api?.requests).toHaveLength(4);
});

it('asks a cloud provider when the environment says so, without any key of ours', async () => {
  const cloud = await startScriptedProvider('bedrock', [reply('from the cloud')]);
  const env = {
    CLAUDE_CODE_USE_BEDROCK: '1',
    CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1',
    ANTHROPIC_BEDROCK_BASE_URL: cloud.url,
    LATHE_MODEL_IDS: 'claude-opus-5-5=eu.anthropic.claude-opus-5-5-v1:0',
  };
  expect(await ask(env)).toBe('from the cloud');
  expect(cloud.requests[0]?.path).toContain('/model/eu.anthropic.claude-opus-5-5-v1:0/');
  expect(cloud.requests[0]?.headers).not.toHaveProperty('authorization');
  await cloud.close();
});
