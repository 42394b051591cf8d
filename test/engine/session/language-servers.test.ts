import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { type ScriptedServer, scriptedServer, setting } from '../lsp/scripted-server';

let server: ScriptedServer;
let open: TestSession | null = null;
beforeEach(() => {
  server = scriptedServer();
});
afterEach(async () => {
  await open?.close();
  open = null;
  expect(server.running()).toBe(0);
});

const FILES = { 'a.stone': 'rock', 'secret.stone': 'gold' };
async function openWith(
  script: Parameters<typeof openTestSession>[0],
  options: TestSessionOptions = {},
): Promise<TestSession> {
  open = await openTestSession(script, {
    ...{ startedBy: server.commands, files: FILES, decide, tools: createBuiltinTools() },
    ...options,
    settings: { languageServers: [setting()], ...options.settings },
  });
  return open;
}
const body = (n: number) => open?.api.requests[n]?.body;
const told = (n: number) => JSON.stringify(body(n)?.messages);
const offered = (n: number) => body(n)?.tools?.some(({ name }) => name === 'LSP') ?? false;
const hover = (filePath: string, character = 1) =>
  toolUse('LSP', { operation: 'hover', filePath, line: 1, character });

it('the tool is there where a server is, and nothing starts before its first file', async () => {
  const t = await openWith([reply('one')]);
  await t.run('go');
  expect(offered(0)).toBe(true);
  expect(server.starts).toEqual([]);
});

it.each<[string, TestSessionOptions]>([
  ['without a server', { settings: { languageServers: [] } }],
  ['with --bare', { prompts: { simple: true } }],
  ['with the setting for it', { settings: { simple: true } }],
  [
    'in a folder that nobody trusts, with a trusted configuration from elsewhere',
    { settings: { trusted: false, rootTrusted: true } },
  ],
])('%s there is no tool', async (_, options) => {
  const t = await openWith(
    [reply([toolUse('Read', { file_path: 'a.stone' })]), reply('one')],
    options,
  );
  await t.run('go');
  expect(offered(0)).toBe(false);
  expect(server.starts).toEqual([]);
});

it('a denial of Read takes the tool away, and one of a file holds for it and for what is defined there', async () => {
  const rule = (text: string) => ({ behavior: 'deny', text, source: 'userSettings' }) as const;
  const t = await openWith(
    [reply([hover('secret.stone'), hover('a.stone'), hover('a.stone', 3)]), reply('one')],
    { settings: { rules: [rule('Read(./secret.stone)')] } },
  );
  const { project } = t;
  const start = { line: 0, character: 0 };
  server.answers['textDocument/definition'] = ({ position }) => ({
    uri: pathToFileURL(join(project, Object(position).character > 0 ? 'secret.stone' : 'a.stone'))
      .href,
    range: { start, end: start },
  });
  server.answers['textDocument/hover'] = ({ position }) => ({
    contents: Object(position).character > 0 ? 'gold of the mountain' : 'a stone of the mountain',
  });
  await t.run('go');
  expect(told(1)).toMatch(/is_error[\s\S]*a stone of the mountain[\s\S]*Its text is left out/);
  expect(told(1)).not.toContain('gold');
  expect(server.heard.some(([, params]) => JSON.stringify(params).includes('secret'))).toBe(false);
  await t.close();
  const u = await openWith([reply('one')], { settings: { rules: [rule('Read')] } });
  await u.run('go');
  expect(offered(0)).toBe(false);
});

it('sub-agents use the servers of the session', async () => {
  server.answers['textDocument/hover'] = () => ({ contents: 'a stone of the mountain' });
  let calls = 0;
  const t = await openWith(({ body: request }) => {
    if (!JSON.stringify(request.messages[0]).includes('LOOK')) {
      calls += 1;
      return calls === 1
        ? reply([
            hover('a.stone'),
            toolUse('Agent', {
              ...{ subagent_type: 'general-purpose', description: 'look', prompt: 'LOOK' },
            }),
          ])
        : reply('done');
    }
    return request.messages.length === 1 ? reply([hover('a.stone')]) : reply('seen');
  });
  await t.run('go');
  const answers = t.api.requests.filter(({ body: { messages } }) =>
    JSON.stringify(messages.at(-1)).includes('a stone of the mountain'),
  );
  expect(answers).toHaveLength(2);
  expect(server.starts).toHaveLength(1);
});

it('a server that is not there costs one notice, and the turn goes on', async () => {
  const t = await openWith([reply([hover('a.stone'), hover('a.stone')]), reply('one')], {
    settings: { languageServers: [setting({ command: 'stonels' })] },
  });
  const events = await t.run('go');
  expect(told(1)).toContain('stonels is not on the PATH');
  const notices = events.filter((event) => event.type === 'notice');
  expect(notices).toMatchObject([{ code: 'language_server', level: 'warning' }]);
});

it('an edit that comes before the server has begun is told of in a later turn', async () => {
  const { capabilities } = Object(server.answers['initialize']?.({}));
  server.answers['initialize'] = () => ({
    capabilities: { ...capabilities, diagnosticProvider: {} },
  });
  server.answers['textDocument/diagnostic'] = () => ({
    kind: 'full',
    items: server.heard.some(([method]) => method === 'textDocument/didChange')
      ? [{ range: { start: { line: 0, character: 2 } }, message: 'cracked' }]
      : [],
  });
  const t = await openWith(
    [
      reply([toolUse('Read', { file_path: 'a.stone' })]),
      reply([toolUse('Edit', { file_path: 'a.stone', old_string: 'rock', new_string: 'sand' })]),
      reply('one'),
      reply('two'),
    ],
    { mode: 'acceptEdits' },
  );
  await t.run('go');
  await expect.poll(() => server.heard.map(([method]) => method)).toContain('textDocument/didSave');
  await t.run('and now?');
  const all = [2, 3].map((n) => JSON.stringify(body(n)?.messages.slice(-1))).join();
  expect(all.match(/a\.stone\\n {2}1:3 error: cracked/g)).toHaveLength(1);
  expect(server.heard.find(([method]) => method === 'textDocument/didOpen')?.[1]).toMatchObject({
    textDocument: { uri: pathToFileURL(join(t.project, 'a.stone')).href, text: 'rock' },
  });
});
