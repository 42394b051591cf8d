import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { START_LIMIT_MS } from '../../../src/main/engine/mcp/connection';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createToolSearchTool } from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { PermissionRule } from '../../../src/shared/permission';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

/** A server of a test, by default the reference server of the protocol, whose tools are offered at once. */
const server = (changes: Partial<McpServerSetting> = {}): McpServerSetting => ({
  name: 'everything',
  command: process.execPath,
  args: [EVERYTHING, 'stdio'],
  env: {},
  alwaysLoad: true,
  file: '.mcp.json',
  ...changes,
});

/** A server through a shell that writes what it is sent to a file. */
const recorded = (file: string): McpServerSetting =>
  server({
    command: 'bash',
    args: [
      '--norc',
      '-c',
      'tee "$1" | "$2" "$3" stdio; true',
      'bash',
      file,
      process.execPath,
      EVERYTHING,
    ],
  });

let folder: string;
let open: TestSession | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-mcp-'));
});
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
  await rm(folder, { recursive: true, force: true });
});

type Script = Parameters<typeof openTestSession>[0];

async function openWith(
  script: Script,
  servers: readonly McpServerSetting[],
  options: TestSessionOptions = {},
): Promise<TestSession> {
  open = await openTestSession(script, {
    tools: [createToolSearchTool()],
    ...options,
    settings: { mcpServers: servers, ...options.settings },
  });
  return open;
}

const statuses = (t: TestSession) =>
  t.session.toolServers().map(({ name, status }) => `${name} ${status}`);
const connected = (t: TestSession) =>
  expect.poll(() => statuses(t)).toEqual(['everything connected']);
const body = (t: TestSession, n: number) => t.api.requests[n]?.body;
const messages = (t: TestSession, n: number) => JSON.stringify(body(t, n)?.messages);
const toolNames = (t: TestSession, n: number) =>
  body(t, n)?.tools?.map(({ name }: { readonly name: string }) => name) ?? [];
const settled = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'call_settled' ? [event] : []));
const notices = (t: TestSession) =>
  t.session.log
    .transcript()
    .committed.concat(t.session.log.transcript().active)
    .flatMap((item) => (item.kind === 'divider' ? [item.text] : []));

/** Processes whose command line names a text. */
const running = (text: string): string =>
  execFileSync('bash', ['-c', 'ps -eo args | grep -F -- "$1" | grep -v grep || true', 'x', text], {
    encoding: 'utf8',
  }).trim();

const rule = (behavior: PermissionRule['behavior'], text: string): PermissionRule => ({
  behavior,
  text,
  source: 'userSettings',
});

it('servers wait for the first request to leave, unless somebody needs them', async () => {
  const sent = Promise.withResolvers<void>();
  const file = join(folder, 'sent.jsonl');
  const t = await openWith([reply('hello'), reply('there')], [recorded(file)], {
    host: (plain) => ({ ...plain, serversAfter: sent.promise }),
  });
  await t.run('hi');
  // The model can look for their tools from the first request on.
  expect(toolNames(t, 0)).toEqual(['ToolSearch']);
  expect(statuses(t)).toEqual(['everything pending']);
  expect(existsSync(file)).toBe(false);
  sent.resolve();
  await connected(t);
});

it('a server that somebody asks for starts before the first request', async () => {
  const t = await openWith([reply('hello')], [server()], {
    host: (plain) => ({ ...plain, serversAfter: new Promise<void>(() => {}) }),
  });
  expect(statuses(t)).toEqual(['everything pending']);
  t.session.reconnectServer('everything');
  await connected(t);
});

it('a call in the first answer waits for its server, which is started for it', async () => {
  const t = await openWith(
    [
      reply([
        toolUse('mcp__everything__echo', { message: 'early' }),
        toolUse('mcp__elsewhere__echo', {}),
      ]),
      reply('done'),
    ],
    [server({ alwaysLoad: false })],
    { host: (plain) => ({ ...plain, serversAfter: new Promise<void>(() => {}) }) },
  );
  const calls = settled(await t.run('go'));
  const textOf = (tool: string) =>
    JSON.stringify(calls.find((call) => call.tool === tool)?.content);
  expect(textOf('mcp__everything__echo')).toContain('Echo: early');
  expect(textOf('mcp__elsewhere__echo')).toContain('There is no tool named');
});

describe('a tool server', () => {
  it('lists its tools with their own schemas, and answers calls with texts and images', async () => {
    const t = await openWith(
      [
        reply([
          toolUse('mcp__everything__echo', { message: 'grüße 👋' }),
          toolUse('mcp__everything__get-tiny-image', {}),
          toolUse('mcp__everything__get-sum', { a: 2, b: 'three' }),
        ]),
        reply(['done']),
      ],
      [server()],
    );
    await connected(t);
    const events = await t.run('try it');
    expect(toolNames(t, 0)).toEqual(
      expect.arrayContaining(['ToolSearch', 'mcp__everything__echo']),
    );
    const echo = body(t, 0)?.tools?.find(({ name }) => name === 'mcp__everything__echo');
    expect(echo?.input_schema).toMatchObject({
      type: 'object',
      properties: { message: { type: 'string' } },
      required: ['message'],
    });
    const answerOf = (tool: string) =>
      settled(events).find((call) => call.tool === `mcp__everything__${tool}`);
    const said = answerOf('echo');
    const image = answerOf('get-tiny-image');
    const wrong = answerOf('get-sum');
    expect(said?.content).toEqual([{ type: 'text', text: 'Echo: grüße 👋' }]);
    expect(said?.view).toMatchObject({ kind: 'generic', detail: 'Echo: grüße 👋' });
    expect(image?.content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    // The server itself checks what it gets, and says what is wrong.
    expect(wrong?.isError).toBe(true);
    expect(JSON.stringify(wrong?.content)).toContain('expected number');
  });

  it('says how to use its tools in the prompt, in so many words, unless all of them are denied', async () => {
    const said = async (setting: McpServerSetting, rules: readonly PermissionRule[]) => {
      const t = await openWith([reply(['hello'])], [setting], { settings: { rules } });
      await connected(t);
      await t.run('hi');
      const system = body(t, 0)?.system;
      await t.close();
      return (Array.isArray(system) ? system : []).map(({ text }) => text).join('\n');
    };
    expect(await said(server(), [])).toContain('## everything\n# Everything Server');
    const denied = await said(server(), [rule('deny', 'mcp__everything')]);
    expect(denied).not.toContain('Everything Server');
    // The same server, whose instructions begin with more than anybody should say.
    const wordy = '"$1" "$2" stdio | sed -u "s/# Everything Server/$3/"; true';
    const args = ['--norc', '-c', wordy, 'bash', process.execPath, EVERYTHING, 'w'.repeat(3000)];
    const cut = await said(server({ command: 'bash', args }), []);
    expect(cut).toContain(`## everything\n${'w'.repeat(2000)}\n(the rest is left out)`);
  });

  it('has its tools looked for, unless it says that they are needed always', async () => {
    const t = await openWith(
      [
        reply([toolUse('ToolSearch', { query: 'echo' })]),
        reply([toolUse('mcp__everything__echo', { message: 'hi' })]),
        reply(['done']),
      ],
      [server({ alwaysLoad: false })],
    );
    // Nothing waits for it: the search does.
    const events = await t.run('say hi');
    expect(toolNames(t, 0)).toEqual(['ToolSearch']);
    expect(toolNames(t, 1)).toContain('mcp__everything__echo');
    expect(settled(events).at(-1)?.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
  });

  it.each([
    ['allowed by its server', [rule('allow', 'mcp__everything')], 'Echo: x'],
    ['allowed by its name', [rule('allow', 'mcp__everything__echo')], 'Echo: x'],
    [
      'allowed, but to be asked for',
      [rule('allow', 'mcp__everything'), rule('ask', 'mcp__everything__echo')],
      'mcp__everything__echo',
    ],
    [
      'denied by its server',
      [rule('allow', 'mcp__everything__echo'), rule('deny', 'mcp__everything')],
      'mcp__everything',
    ],
    [
      'denied by its name',
      [rule('allow', 'mcp__everything'), rule('deny', 'mcp__everything__echo')],
      'mcp__everything__echo',
    ],
    ['named by no rule', [], 'mcp__everything__echo'],
  ])('follows rules: a tool %s', async (_, rules, told) => {
    const t = await openWith(
      [reply([toolUse('mcp__everything__echo', { message: 'x' })]), reply(['done'])],
      [server()],
      { decide, settings: { rules } },
    );
    await connected(t);
    const [call] = settled(await t.run('say x'));
    const runs = told === 'Echo: x';
    expect(call?.isError).toBe(!runs);
    expect(JSON.stringify(call?.content)).toContain(told);
    expect(t.session.log.transcript().denials).toHaveLength(runs ? 0 : 1);
    const denied = rules.some(({ behavior }) => behavior === 'deny');
    expect(toolNames(t, 0).includes('mcp__everything__echo')).toBe(!denied);
  });

  it.each([
    [
      'one that cannot be started',
      server({ command: '/no/such/program' }),
      'there is no such program',
    ],
    [
      'one that ends at once, with what it printed',
      server({
        command: 'bash',
        args: ['--norc', '-c', 'echo the database is locked >&2; exit 3'],
      }),
      /exit code 3\. It printed:\nthe database is locked/,
    ],
    [
      'one whose variables are not set',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings write variables
      server({ env: { TOKEN: '${NO_SUCH_VARIABLE}' } }),
      'not set for it: NO_SUCH_VARIABLE',
    ],
  ])('that is dead delays nothing and is told: %s', async (_, dead, told) => {
    const t = await openWith([reply(['one'])], [dead]);
    await t.run('hello');
    await expect.poll(() => statuses(t)).toEqual(['everything failed']);
    expect(notices(t)).toEqual([expect.stringMatching(told)]);
  });

  it('that says nothing delays nothing, is told in the session, and its processes are ended', async () => {
    const mark = join(folder, 'silent');
    const silent = server({
      command: 'bash',
      args: ['--norc', '-c', 'sleep 1000 & exec tail -f /dev/null "$1"', 'bash', mark],
    });
    const t = await openWith([reply(['one']), reply(['two'])], [silent], { tools: [] });
    await t.run('first');
    expect(statuses(t)).toEqual(['everything pending']);
    expect(messages(t, 0)).toContain(
      'Still connecting, and ToolSearch will find what they bring: everything.',
    );
    await t.clock.advance(START_LIMIT_MS);
    await expect.poll(() => statuses(t)).toEqual(['everything failed']);
    expect(notices(t)).toEqual([expect.stringContaining('did not answer within 30 s')]);
    expect(running(mark)).toBe('');
    await t.run('second');
    expect(messages(t, 1).match(/Still connecting/g)).toHaveLength(1);
  });

  it('is told when a call is stopped, and goes on with others', async () => {
    const sent = join(folder, 'sent');
    const t = await openWith(
      [
        reply([
          toolUse('mcp__everything__trigger-long-running-operation', { duration: 600, steps: 2 }),
        ]),
        reply([toolUse('mcp__everything__echo', { message: 'still here' })]),
        reply(['done']),
      ],
      [recorded(sent)],
    );
    await connected(t);
    const query = t.run('take your time');
    const soFar = () => readFile(sent, 'utf8');
    await expect.poll(soFar).toContain('trigger-long-running-operation');
    const [callId] = t.session.log
      .transcript()
      .active.flatMap((item) => (item.kind === 'call' ? [item.id] : []));
    expect(t.session.cancelCall(callId ?? '')).toBe(true);
    await expect.poll(soFar).toContain('notifications/cancelled');
    expect(settled(await query).map(({ status }) => status)).toEqual(['cancelled', 'done']);
  });

  it('is told that its time for a call is over, and goes on with others', async () => {
    const t = await openWith(
      [
        reply([
          toolUse('mcp__everything__trigger-long-running-operation', { duration: 600, steps: 2 }),
        ]),
        reply([toolUse('mcp__everything__echo', { message: 'still here' })]),
        reply(['done']),
      ],
      [{ ...server({}), timeout: 1_000 }],
    );
    await connected(t);
    const calls = settled(await t.run('take your time'));
    expect(calls.map(({ status }) => status)).toEqual(['failed', 'done']);
    expect(JSON.stringify(calls[0]?.content)).toMatch(
      /did not answer within 1 s.*timeout.*MCP_TOOL_TIMEOUT/,
    );
  });

  it('is ended with its session, with all its processes, and never sees a key of Lathe', async () => {
    const mark = join(folder, 'sent');
    const t = await openWith(
      [reply([toolUse('mcp__everything__get-env', {})]), reply(['done'])],
      [recorded(mark)],
    );
    await connected(t);
    const [call] = settled(await t.run('what is in your environment?'));
    expect(JSON.stringify(call?.content)).toContain('CLAUDE_PROJECT_DIR');
    expect(JSON.stringify(call?.content)).not.toMatch(/test-key|ANTHROPIC/);
    expect(running(mark)).not.toBe('');
    await t.session.close({ keepTasks: true });
    expect(running(mark)).toBe('');
    open = null;
    await t.api.close();
  });

  it('whose setting goes is ended, and its tools are told as gone', async () => {
    const servers = [server({ alwaysLoad: false })];
    const t = await openWith([reply(['one']), reply(['two'])], servers, {});
    await connected(t);
    await t.run('first');
    expect(messages(t, 0)).toContain('mcp__everything__: echo');
    servers.length = 0;
    for await (const _ of t.session.submit('second')) {
      // The log has each event.
    }
    expect(statuses(t)).toEqual([]);
    expect(messages(t, 1)).toMatch(/Tools that are no longer there: .*mcp__everything__echo/);
  });

  it('serves sub-agents too, each through its own catalogue', async () => {
    const t = await openWith(
      [
        reply([
          toolUse('Agent', {
            description: 'Say hi',
            prompt: 'Say hi through the server.',
            subagent_type: 'general-purpose',
          }),
        ]),
        reply([toolUse('mcp__everything__echo', { message: 'from below' })]),
        reply(['It said: from below']),
        reply(['done']),
      ],
      [server()],
      { tools: [createToolSearchTool(), createAgentTool(BUILT_IN_AGENTS)] },
    );
    await connected(t);
    await t.run('delegate');
    expect(toolNames(t, 1)).toContain('mcp__everything__echo');
    expect(messages(t, 2)).toContain('Echo: from below');
  });
});
