import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let folder: string;
let open: TestSession | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-views-'));
});
afterEach(async () => {
  await open?.close();
  open = null;
  await rm(folder, { recursive: true, force: true });
});

/** A server that has one thing of each kind more after each call, says so, and logs. */
const SERVER = `
  let count = 1;
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const note = (method, params) => send({ method, params });
  const named = (what) => Array.from({ length: count }, (_, n) => ({ name: what + n, uri: 'x://' + n, description: 'The ' + what, inputSchema: { type: 'object' } }));
  const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true }, logging: {} };
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, instructions: 'Be brief.', serverInfo: { name: 'growing', version: '7' } }),
    'tools/list': () => ({ tools: named('tool') }),
    'prompts/list': () => ({ prompts: named('prompt') }),
    'resources/list': () => ({ resources: named('page') }),
    'logging/setLevel': ({ level }) => { note('notifications/message', { level: 'notice', data: 'level ' + level }); return {}; },
    'tools/call': () => {
      count += 1;
      console.error('one more');
      note('notifications/message', { level: 'error', logger: 'core', data: { left: 3 } });
      for (const what of ['tools', 'prompts', 'resources']) note('notifications/' + what + '/list_changed');
      for (let n = 0; n < 1000; n++) note('notifications/message', { level: 'debug', data: 'x'.repeat(9000) });
      return { content: [{ type: 'text', text: 'Done.' }] };
    },
  };
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined && answers[method]) send({ id, result: answers[method](params) });
  }).on('close', () => process.exit());
`;

const setting = (name: string, changes: Partial<McpServerSetting>): McpServerSetting => ({
  ...{ name, command: process.execPath, args: [], env: {}, alwaysLoad: true, file: '/p/.mcp.json' },
  ...changes,
});

it('a user sees how each server is, and what it offers and said, as it is now', async () => {
  const file = join(folder, 'server.cjs');
  await writeFile(file, SERVER);
  const t = await openTestSession([reply([toolUse('mcp__grows__tool0', {})]), reply('ok')], {
    settings: {
      mcpServers: [
        setting('grows', { args: [file, '--token', 's3cret'] }),
        setting('barred', { args: [file] }),
      ],
      serverPolicy: {
        denied: [{ file: '/s.json', servers: [{ serverName: 'barred' }] }],
        allowed: [],
      },
      heldServers: [
        { setting: setting('strange', {}), why: 'trust' },
        { setting: setting('unused', {}), why: 'disabled' },
      ],
    },
  });
  open = t;
  const { servers } = t.session;
  const { signal } = new AbortController();
  const view = () => servers.views().find(({ name }) => name === 'grows');
  const details = () => servers.details('grows', signal);
  await expect.poll(() => view()?.state).toBe('connected');
  const states = () => servers.views().map(({ name, state }) => `${name} ${state}`);
  await expect
    .poll(states)
    .toEqual([
      'barred denied',
      'grows connected',
      'strange waits_for_trust',
      'unused off_in_settings',
    ]);
  expect(view()).toMatchObject({ program: 'growing 7', transport: 'stdio', tools: 1, prompts: 1 });
  expect(view()?.target).not.toContain('s3cret');
  expect(await details()).toMatchObject({
    instructions: 'Be brief.',
    tools: [{ name: 'tool0', detail: 'The tool' }],
    resources: [{ name: 'x://0', detail: 'page0' }],
  });
  const lines = async () => (await details()).log.map(({ level, text }) => `${level} ${text}`);
  await expect.poll(lines).toContain('notice level info');
  const before = view();

  let heard = 0;
  servers.onView(() => {
    heard += 1;
  });
  await t.run('go');
  await expect.poll(() => [view()?.tools, view()?.prompts]).toEqual([2, 2]);
  await expect
    .poll(async () => (await details()).resources.map(({ name }) => name))
    .toEqual(['x://0', 'x://1']);
  expect(view()?.resources).toEqual({ count: 2 });
  expect(heard).toBeGreaterThan(0);
  expect(view()?.revision).toBeGreaterThan(before?.revision ?? 0);
  expect(view()?.offering).toBeGreaterThan(before?.offering ?? 0);
  expect(t.session.commands.map(({ name }) => name)).toContain('mcp__grows__prompt1');
  // However much it logs, little is kept.
  await expect.poll(async () => (await details()).log.length).toBe(300);
  const { log, printed } = await details();
  expect(JSON.stringify(log).length).toBeLessThan(700_000);
  await expect.poll(async () => (await details()).printed).toContain('one more');
  expect(printed.length).toBeLessThan(5000);

  t.session.enableServer('grows', false);
  expect(view()).toMatchObject({ state: 'off', tools: 0 });
});
