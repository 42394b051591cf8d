import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { START_LIMIT_MS } from '../../../src/main/engine/mcp/connection';
import { PROMPTS_WAIT_MS } from '../../../src/main/engine/mcp/server-lists';
import { RECONNECT_AFTER_MS } from '../../../src/main/engine/mcp/tool-server';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { createToolSearchTool } from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
let servers: Server[] = [];
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
  await open?.close();
  open = null;
});

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A server over HTTP: what it does is changed by tests. `null` of an answer: it never comes. */
class Remote {
  /** Sessions that it knows. */
  readonly sessions = new Set<string>();
  readonly initialized: (string | undefined)[] = [];
  /** The calls that ran, by what they were given. */
  readonly ran: unknown[] = [];
  url = '';
  capabilities: object = { tools: {} };
  hasSessions = true;
  description = 'as it was';
  /** Answers a request in the place of the server; true when it did. */
  instead: (asked: Asked, response: ServerResponse) => boolean = () => false;
  answers: Readonly<Record<string, (asked: Asked) => object | null>> = {};

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    return this;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'GET') return void response.writeHead(405).end();
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    const asked = JSON.parse(body) as Asked;
    const session = request.headers['mcp-session-id'];
    if (this.instead(asked, response)) return;
    if (asked.method === 'initialize') {
      const id = `session-${this.initialized.length + 1}`;
      this.initialized.push(typeof session === 'string' ? session : undefined);
      if (this.hasSessions) this.sessions.add(id);
      const head = this.hasSessions ? { 'mcp-session-id': id } : {};
      return this.#say(response, asked, head, {
        protocolVersion: asked.params?.['protocolVersion'],
        capabilities: this.capabilities,
        serverInfo: { name: 'remote', version: '1' },
      });
    }
    if (this.hasSessions && !this.sessions.has(String(session)))
      return void response.writeHead(404).end('{"error":"Session not found"}');
    if (asked.id === undefined) return void response.writeHead(202).end();
    const answer = this.answers[asked.method]?.(asked) ?? this.#usual(asked);
    if (answer !== null) this.#say(response, asked, {}, answer);
  }

  #usual(asked: Asked): object | null {
    if (asked.method === 'tools/call') {
      this.ran.push(asked.params?.['arguments']);
      return { content: [{ type: 'text', text: `ran ${this.ran.length}` }] };
    }
    const { description } = this;
    const tools = [{ name: 'act', description, inputSchema: { type: 'object' } }];
    return asked.method === 'tools/list' ? { tools } : this.answers[asked.method] ? null : {};
  }

  #say(response: ServerResponse, { id }: Asked, head: object, result: object): void {
    response.writeHead(200, { 'content-type': 'application/json', ...head });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
}

const setting = (url: string, name = 'remote'): McpServerSetting => ({
  ...{ name, command: '', args: [], env: {}, alwaysLoad: true, file: '.mcp.json' },
  remote: { type: 'http', url, headers: {} },
});

async function openWith(replies: Reply[], ...settings: McpServerSetting[]): Promise<TestSession> {
  open = await openTestSession(() => replies.shift() ?? reply('the end'), {
    tools: [createToolSearchTool()],
    settings: { mcpServers: settings },
  });
  open.session.syncToolServers();
  return open;
}

const act = (...inputs: readonly number[]) =>
  reply(inputs.map((n) => toolUse('mcp__remote__act', { n }, `act-${n}`)));
const status = (t: TestSession) => t.session.toolServers()[0]?.status;
const connected = (t: TestSession) => expect.poll(() => status(t)).toBe('connected');
const textsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'call_settled'
      ? [event.content.map((block) => ('text' in block ? block.text : '')).join('')]
      : [],
  );

describe('a call of which the server says that it does not know the session', () => {
  it('is sent again over another session, so that it runs once', async () => {
    const remote = await new Remote().start();
    const t = await openWith([act(1), reply('ok'), act(2), reply('ok')], setting(remote.url));
    await connected(t);
    remote.sessions.clear();
    expect(textsOf(await t.run('go'))).toEqual(['ran 1']);
    expect(remote.ran).toEqual([{ n: 1 }]);
    expect(remote.initialized).toEqual([undefined, undefined]);
    // And the next one goes the usual way.
    expect(textsOf(await t.run('go'))).toEqual(['ran 2']);
    expect(remote.initialized).toHaveLength(2);
  });

  it('is so for each of several calls, over one new session', async () => {
    const remote = await new Remote().start();
    remote.answers = {
      'tools/list': () => ({
        tools: [
          {
            ...{ name: 'act', description: 'x', inputSchema: { type: 'object' } },
            annotations: { readOnlyHint: true },
          },
        ],
      }),
    };
    const t = await openWith([act(1, 2, 3), reply('ok')], setting(remote.url));
    await connected(t);
    remote.sessions.clear();
    expect(textsOf(await t.run('go')).sort()).toEqual(['ran 1', 'ran 2', 'ran 3']);
    expect(remote.ran).toHaveLength(3);
    expect(remote.initialized).toHaveLength(2);
  });

  it('is so for what is read and for prompts', async () => {
    const remote = await new Remote().start();
    const uri = 'tide://today';
    remote.capabilities = { tools: {}, resources: {}, prompts: {} };
    remote.answers = {
      'resources/read': () => ({ contents: [{ uri, text: 'high at noon' }] }),
      'prompts/list': () => ({ prompts: [{ name: 'brief' }] }),
      'prompts/get': () => ({
        messages: [{ role: 'user', content: { type: 'text', text: 'Say when it is high.' } }],
      }),
    };
    const read = reply([toolUse('ReadMcpResourceTool', { server: 'remote', uri }, 'read')]);
    const t = await openWith([read, reply('ok'), reply('briefed')], setting(remote.url));
    await connected(t);
    remote.sessions.clear();
    expect(textsOf(await t.run('go'))[0]).toContain('high at noon');
    await connected(t);
    remote.sessions.clear();
    for await (const _ of t.session.submit('/mcp__remote__brief')) void _;
    expect(JSON.stringify(t.api.requests.at(-1)?.body.messages)).toContain('Say when it is high.');
    expect(remote.initialized).toHaveLength(3);
  });

  it('is not sent a third time', async () => {
    const remote = await new Remote().start();
    let calls = 0;
    remote.instead = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      calls += 1;
      response.writeHead(404).end('Session not found');
      return true;
    };
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    await connected(t);
    expect(textsOf(await t.run('go'))[0]).toContain('It answered 404 Not Found');
    expect(calls).toBe(2);
  });

  it('is not sent again when its tool is another one by then', async () => {
    const remote = await new Remote().start();
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    await connected(t);
    remote.sessions.clear();
    remote.description = 'Removes everything.';
    expect(textsOf(await t.run('go'))[0]).toContain('after the call was allowed, so nothing ran');
    expect(remote.ran).toEqual([]);
  });

  it('fails as it did when no other session can be had', async () => {
    const remote = await new Remote().start();
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    await connected(t);
    remote.sessions.clear();
    remote.instead = ({ method }, response) => {
      if (method === 'initialize') response.writeHead(503).end();
      return method === 'initialize';
    };
    expect(textsOf(await t.run('go'))[0]).toContain('It answered 404 Not Found');
    expect(status(t)).toBe('pending');
    remote.instead = () => false;
    await t.clock.advance(RECONNECT_AFTER_MS[0]);
    await connected(t);
  });

  it('is stopped while it waits for another session', async () => {
    const remote = await new Remote().start();
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    await connected(t);
    remote.sessions.clear();
    remote.instead = ({ method }) => {
      if (method === 'initialize') t.session.main.engine.interrupt('stopped');
      return method === 'initialize';
    };
    const events = await t.run('go');
    expect(events.at(-1)).toMatchObject({ type: 'query_finished' });
    expect(remote.ran).toEqual([]);
  });
});

describe('a call is not sent again where it may have run:', () => {
  const answers: readonly [string, (remote: Remote, response: ServerResponse) => void][] = [
    ['the line broke', (_, response) => response.destroy()],
    ['the server failed', (_, response) => void response.writeHead(500).end('session store down')],
    ['a gateway failed', (_, response) => void response.writeHead(502).end('no session')],
    ['it was refused', (_, response) => void response.writeHead(400).end('Bad session quota')],
  ];
  it.each(answers)('%s', async (_, answer) => {
    const remote = await new Remote().start();
    let calls = 0;
    remote.instead = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      calls += 1;
      answer(remote, response);
      return true;
    };
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    await connected(t);
    expect(textsOf(await t.run('go'))).toHaveLength(1);
    expect(calls).toBe(1);
  });

  it('404 of a server that has no sessions', async () => {
    const remote = await new Remote().start();
    remote.hasSessions = false;
    let calls = 0;
    remote.instead = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      calls += 1;
      response.writeHead(404).end();
      return true;
    };
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    await connected(t);
    expect(textsOf(await t.run('go'))[0]).toContain('404');
    expect(calls).toBe(1);
  });
});

describe('a server that does not answer everything keeps its tools:', () => {
  const promptsOf = (t: TestSession) =>
    t.session.commands.flatMap(({ name }) => (name.startsWith('mcp__') ? [name] : []));

  it('its prompts never come, which is told', async () => {
    const remote = await new Remote().start();
    remote.capabilities = { tools: {}, prompts: {} };
    remote.answers = { 'prompts/list': () => null };
    remote.instead = ({ method }) => method === 'prompts/list';
    const t = await openWith([act(1), reply('ok')], setting(remote.url));
    const told: string[] = [];
    t.session.log.listen(({ event }) => {
      if (event.type === 'notice') told.push(event.text);
    });
    const waits = async () => {
      await t.clock.advance(PROMPTS_WAIT_MS);
      return status(t);
    };
    await expect.poll(waits).toBe('connected');
    expect(textsOf(await t.run('go'))).toEqual(['ran 1']);
    await t.clock.advance(START_LIMIT_MS);
    await expect.poll(() => told.join()).toContain('It did not list its prompts within 30 s');
    expect(status(t)).toBe('connected');
  });

  it('its prompts come later, and are there then', async () => {
    const remote = await new Remote().start();
    remote.capabilities = { tools: {}, prompts: {} };
    let late: ServerResponse | null = null;
    let id: number | undefined;
    remote.instead = (asked, response) => {
      if (asked.method !== 'prompts/list') return false;
      ({ id } = asked);
      late = response;
      return true;
    };
    const t = await openWith([], setting(remote.url));
    await expect.poll(() => late !== null).toBe(true);
    await t.clock.advance(PROMPTS_WAIT_MS);
    await connected(t);
    expect(promptsOf(t)).toEqual([]);
    const answer = late as ServerResponse | null;
    answer?.writeHead(200, { 'content-type': 'application/json' });
    answer?.end(JSON.stringify({ jsonrpc: '2.0', id, result: { prompts: [{ name: 'hello' }] } }));
    await expect.poll(() => promptsOf(t)).toEqual(['mcp__remote__hello']);
  });

  it('its resources never come, or never end, and others are listed', async () => {
    const silent = await new Remote().start();
    silent.capabilities = { tools: {}, resources: {} };
    let isAsked = false;
    silent.instead = ({ method }) => {
      isAsked ||= method === 'resources/list';
      return method === 'resources/list';
    };
    const endless = await new Remote().start();
    endless.capabilities = { tools: {}, resources: {} };
    let pages = 0;
    endless.answers = {
      'resources/list': () => {
        pages += 1;
        return { resources: [], nextCursor: `${pages}` };
      },
    };
    const t = await openWith(
      [
        reply([toolUse('ToolSearch', { query: 'select:ListMcpResourcesTool' })]),
        reply([toolUse('ListMcpResourcesTool', {}, 'list')]),
        act(1),
        reply('ok'),
      ],
      setting(silent.url),
      setting(endless.url, 'endless'),
    );
    await connected(t);
    await expect.poll(() => t.session.toolServers()[1]?.status).toBe('connected');
    const running = t.run('go');
    await expect.poll(() => isAsked && pages === 64).toBe(true);
    // Its last page was taken: only the limit of the other one runs.
    await expect.poll(() => t.clock.sleepers()).toBe(1);
    await t.clock.advance(START_LIMIT_MS);
    const [, list, acted] = textsOf(await running);
    expect(list).toContain('# remote\nIt did not answer within 30 s.');
    expect(list).toContain('# endless\nresources/list: exceeded listMaxPages');
    expect(pages).toBe(64);
    expect(acted).toBe('ran 1');
  });
});
