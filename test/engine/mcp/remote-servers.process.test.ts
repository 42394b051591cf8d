import type { ChildProcess } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { START_LIMIT_MS } from '../../../src/main/engine/mcp/connection';
import { RECONNECT_AFTER_MS } from '../../../src/main/engine/mcp/tool-server';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { createToolSearchTool } from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { endChild, freePort, startEverything } from './npm-servers';

let open: TestSession | null = null;
let children: ChildProcess[] = [];
let servers: Server[] = [];
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
  await Promise.all(children.map(endChild));
  children = [];
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

/** Listens on a free port; gives the address. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the reference server of the protocol on a port, and waits until it listens. */
async function everything(kind: 'streamableHttp' | 'sse', port: number): Promise<ChildProcess> {
  const child = await startEverything(kind, port);
  children.push(child);
  return child;
}

const setting = (
  type: 'http' | 'sse',
  url: string,
  headers: Readonly<Record<string, string>> = {},
): McpServerSetting => ({
  ...{ name: 'everything', command: '', args: [], env: {}, alwaysLoad: true, file: '.mcp.json' },
  remote: { type, url, headers },
});

async function openWith(
  script: Parameters<typeof openTestSession>[0],
  server: McpServerSetting,
): Promise<TestSession> {
  open = await openTestSession(script, {
    tools: [createToolSearchTool()],
    settings: { mcpServers: [server] },
  });
  return open;
}

const status = (t: TestSession) => t.session.toolServers()[0]?.status;
const connected = (t: TestSession) => expect.poll(() => status(t)).toBe('connected');
const settled = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'call_settled' ? [event] : []));
const textOf = (content: ReturnType<typeof settled>[number]['content']) =>
  content.map((block) => ('text' in block ? block.text : block.type)).join('');
const textsOf = (events: readonly AgentEvent[]) =>
  settled(events).map(({ content }) => textOf(content));

describe.each([
  ['http', 'streamableHttp', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const)('a server that is reached by %s', (type, kind, path) => {
  it('answers calls, says what it has to read, and is told where it works', async () => {
    const port = await freePort();
    await everything(kind, port);
    const URI = 'demo://resource/static/document/architecture.md';
    const t = await openWith(
      [
        reply([
          toolUse('mcp__everything__echo', { message: 'grüße 👋' }, 'echo'),
          toolUse('mcp__everything__get-structured-content', { location: 'Chicago' }, 'structured'),
          toolUse('mcp__everything__get-resource-links', { count: 1 }, 'link'),
          toolUse(
            'mcp__everything__trigger-long-running-operation',
            { duration: 0.2, steps: 2 },
            'slow',
          ),
        ]),
        reply([
          toolUse('ToolSearch', { query: 'select:ListMcpResourcesTool,ReadMcpResourceTool' }),
        ]),
        reply([
          toolUse('ListMcpResourcesTool', {}, 'list'),
          toolUse('ReadMcpResourceTool', { server: 'everything', uri: URI }, 'resource'),
          toolUse(
            'ReadMcpResourceTool',
            { server: 'everything', uri: 'demo://nothing' },
            'missing',
          ),
          toolUse('ReadMcpResourceTool', { server: 'nobody', uri: 'demo://nothing' }, 'nobody'),
        ]),
        reply('done'),
        reply('seen'),
      ],
      setting(type, `http://127.0.0.1:${port}${path}`),
    );
    await connected(t);
    const events = await t.run('try it');
    const answers = new Map(
      settled(events).map(({ callId, content }) => [callId, textOf(content)] as const),
    );
    const answer = (id: string) => answers.get(id);
    expect(answer('echo')).toBe('Echo: grüße 👋');
    expect(answer('structured')).toContain('"temperature"');
    expect(answer('link')).toContain('demo://resource/');
    expect(answer('slow')).toContain('completed');
    const steps = events.flatMap((event) =>
      event.type === 'call_changed' && event.view?.kind === 'generic' ? [event.view.detail] : [],
    );
    // Of steps that come together the last one is shown.
    expect(steps).toContainEqual(expect.stringMatching(/^[12] of 2$/));
    expect(answer('list')).toContain(`# everything\n`);
    expect(answer('list')).toContain(URI);
    expect(answer('list')).toContain('demo://resource/dynamic/text/{resourceId} (fill it in) · ');
    expect(answer('resource')).toContain('# Everything Server');
    expect(answer('missing')).toContain('demo://nothing');
    expect(answer('nobody')).toContain('No server "nobody" has resources. There are: everything.');
    // A user mentions one.
    await t.run(`look at @everything:${URI}`);
    const said = JSON.stringify(t.api.requests.at(-1)?.body.messages);
    expect(said).toContain('a resource of the tool server everything. It says');
  });
});

it('a server that is gone is found again when it is back, and its tools with it', async () => {
  const port = await freePort();
  const first = await everything('streamableHttp', port);
  const echo = (message: string) => reply([toolUse('mcp__everything__echo', { message })]);
  const t = await openWith(
    [echo('one'), reply('ok'), echo('two'), reply('ok'), echo('three'), reply('ok')],
    setting('http', `http://127.0.0.1:${port}/mcp`),
  );
  await connected(t);
  expect(textsOf(await t.run('go'))).toEqual(['Echo: one']);
  await endChild(first);
  const [failed] = settled(await t.run('go'));
  expect(failed?.isError).toBe(true);
  await expect.poll(() => status(t)).toBe('pending');
  await everything('streamableHttp', port);
  await t.clock.advance(RECONNECT_AFTER_MS[0]);
  await connected(t);
  expect(textsOf(await t.run('go'))).toEqual(['Echo: three']);
});

it('a server that was restarted, and answers 400 for the session it does not know, is asked again', async () => {
  const port = await freePort();
  const first = await everything('streamableHttp', port);
  const echo = (message: string) => reply([toolUse('mcp__everything__echo', { message })]);
  const t = await openWith(
    [echo('one'), reply('ok'), echo('two'), reply('ok')],
    setting('http', `http://127.0.0.1:${port}/mcp`),
  );
  await connected(t);
  await endChild(first);
  await everything('streamableHttp', port);
  expect(textsOf(await t.run('go'))).toEqual(['Echo: one']);
  expect(textsOf(await t.run('go'))).toEqual(['Echo: two']);
});

it('a server that stays away is given up after some tries, and reached again when somebody asks', async () => {
  const port = await freePort();
  const first = await everything('streamableHttp', port);
  const echo = reply([toolUse('mcp__everything__echo', { message: 'x' })]);
  const t = await openWith([echo, reply('ok')], setting('http', `http://127.0.0.1:${port}/mcp`));
  await connected(t);
  await endChild(first);
  await t.run('go');
  const later = async () => {
    await t.clock.advance(RECONNECT_AFTER_MS.at(-1) ?? 0);
    return status(t);
  };
  await expect.poll(later).toBe('failed');
  expect(t.session.toolServers()[0]?.problem).toContain('has ended');
  await everything('streamableHttp', port);
  expect(t.session.reconnectServer('everything')).toBe(true);
  await connected(t);
  expect(t.session.enableServer('everything', false)).toBe(true);
  expect(t.session.toolServers()).toMatchObject([{ status: 'disabled', tools: [] }]);
  expect(t.session.main.toolNames()).not.toContain('mcp__everything__echo');
  expect(t.session.enableServer('everything', true)).toBe(true);
  await connected(t);
  expect(t.session.reconnectServer('nobody')).toBe(false);
});

it('a server gets its headers, with variables filled in', async () => {
  let seen: string | undefined;
  const url = await listen((request, response) => {
    seen = request.headers.authorization;
    response.writeHead(401).end();
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings write variables
  const headers = { Authorization: 'Bearer ${TOKEN:-abc}' };
  const t = await openWith([reply('one')], setting('http', url, headers));
  await t.run('hello');
  await expect.poll(() => status(t)).toBe('failed');
  expect(seen).toBe('Bearer abc');
  expect(t.session.toolServers()[0]?.problem).toContain('wants a sign-in (401)');
});

describe('a bad server delays nothing and is told:', () => {
  const answering =
    (text: string, type = 'application/json'): RequestListener =>
    (_, response) =>
      void response.writeHead(200, { 'content-type': type }).end(text);
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = '['.repeat(1024 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };

  const PAGE = `<!doctype html><html><head><title>404</title><style>p { color: red }</style></head>
    <body><h1>Gone \u001b[31m</h1> for good.<p>${'word '.repeat(1000)}</body></html>`;

  it.each<[string, RequestListener | null, RegExp]>([
    ['one that is not there', null, /ECONNREFUSED/],
    ['one that speaks no JSON', answering('<html>'), /JSON/],
    ['one that answers something else', answering('{"a":1}'), /./],
    [
      'one that shows a page',
      answering('<html>', 'text/html'),
      /It answered with text\/html at http:\S+, so no tool server/,
    ],
    [
      'one that fails',
      (_, response) => void response.writeHead(500).end('broken'),
      /It answered 500 Internal Server Error at http:\S+: broken$/,
    ],
    [
      'one that says nothing',
      (_, response) => void response.writeHead(503).end(),
      /It answered 503 Service Unavailable at http:\/\/127.0.0.1:\d+\.$/,
    ],
    [
      'one that is not there any more',
      (_, response) => void response.writeHead(404).end(PAGE),
      /It answered 404 Not Found at http:\S+: Gone \uFFFD\[31m for good\. (word )+\w*…$/,
    ],
    [
      'one that says why',
      (_, response) => void response.writeHead(400).end('{"error":{"code":1,"message":"No."}}'),
      /It answered 400 Bad Request at http:\S+: No\.$/,
    ],
    [
      'one that sends elsewhere',
      (_, response) => void response.writeHead(307, { location: 'http://[::1]:1/' }).end(),
      /It answered 307 .*, a redirect to http:\/\/\[::1\]:1\/, which is not followed/,
    ],
    ['one whose answer has no end', endless, /32 MiB/],
  ])('%s', async (_, answer, told) => {
    const url = answer ? await listen(answer) : `http://127.0.0.1:${await freePort()}`;
    const t = await openWith([reply('one')], setting('http', url));
    await t.run('hello');
    await expect.poll(() => status(t)).toBe('failed');
    expect(t.session.toolServers()[0]?.problem).toMatch(told);
  });

  it('one that never answers', async () => {
    const t = await openWith([reply('one')], setting('http', await listen(() => {})));
    await t.run('hello');
    expect(status(t)).toBe('pending');
    await t.clock.advance(START_LIMIT_MS);
    await expect.poll(() => status(t)).toBe('failed');
    expect(t.session.toolServers()[0]?.problem).toContain('did not answer within 30 s');
  });

  it('one whose address is none', async () => {
    const t = await openWith([reply('one')], setting('http', 'file:///etc/passwd'));
    await t.run('hello');
    await expect.poll(() => status(t)).toBe('failed');
    expect(t.session.toolServers()[0]?.problem).toContain('is no address with http or https');
  });
});
