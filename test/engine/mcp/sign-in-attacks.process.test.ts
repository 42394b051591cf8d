import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTHORITY_LIMIT_MS } from '../../../src/main/engine/mcp/authority-fetch';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
let servers: Server[] = [];
let asked: string[] = [];

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;
/** Answers at a path in the place of an honest server. */
let paths: Record<string, Answer> = {};
let origin = '';

const json =
  (value: object, status = 200): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(value));

async function listen(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    answer(request, response, body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const metadata = (more: object = {}) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  ...more,
});
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';

beforeEach(async () => {
  asked = [];
  origin = await listen((request, response, body) => {
    const path = new URL(request.url ?? '', origin).pathname;
    asked.push(path);
    const answer = paths[path];
    if (answer) return answer(request, response, body);
    if (path !== '/mcp') return void response.writeHead(404).end();
    const token = request.headers.authorization;
    if (token !== 'Bearer good') {
      const where = `Bearer resource_metadata="${origin}${RESOURCE}"`;
      return void response.writeHead(401, { 'www-authenticate': where }).end();
    }
    const { id, method, params } = JSON.parse(body || '{}');
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'docs', version: '1' },
      },
      'tools/list': { tools: [{ name: 'act', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'ran' }] },
    };
    json({ jsonrpc: '2.0', id, result: results[method] ?? {} })(request, response, body);
  });
  paths = {
    [RESOURCE]: json({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
    [SERVER]: json(metadata()),
    '/register': (request, response, body) =>
      json({ ...JSON.parse(body), client_id: 'c' }, 201)(request, response, body),
    '/token': json({
      ...{ access_token: 'good', refresh_token: 'r', token_type: 'bearer', expires_in: 3600 },
    }),
    '/authorize': (request, response) => {
      const { searchParams } = new URL(request.url ?? '', origin);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      back.searchParams.set('code', 'code');
      back.searchParams.set('iss', origin);
      response.writeHead(302, { location: back.href }).end();
    },
  };
});
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
  await open?.close();
  open = null;
});

async function start(...replies: ReturnType<typeof reply>[]): Promise<TestSession> {
  const setting: McpServerSetting = {
    ...{ name: 'docs', command: '', args: [], env: {}, alwaysLoad: true, file: '.mcp.json' },
    remote: { type: 'http', url: `${origin}/mcp`, headers: {} },
  };
  open = await openTestSession(() => replies.shift() ?? reply('the end'), {
    settings: { mcpServers: [setting] },
  });
  open.session.syncToolServers();
  await expect.poll(() => open?.session.toolServers()[0]?.status).toBe('needs-auth');
  return open;
}

/** Does what a user's browser does, as far as there is a page. */
async function signIn(t: TestSession, change: (back: URL) => void = () => {}) {
  let over = false;
  const done = t.session.servers.signIns.signIn('docs').finally(() => {
    over = true;
  });
  const page = () => t.session.servers.signIns.page('docs');
  await expect.poll(() => over || /^http/.test(page() ?? '')).toBe(true);
  const address = over ? null : page();
  if (address) {
    const answer = await fetch(address, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '');
    change(back);
    await fetch(back);
  }
  return done;
}

const hasToken = () => asked.includes('/token');

it('an honest server is signed in to', async () => {
  const t = await start(reply([toolUse('mcp__docs__act', {})]), reply('ok'));
  expect(await signIn(t)).toMatchObject({ ok: true });
  await expect.poll(() => t.session.toolServers()[0]?.status).toBe('connected');
});

describe('a sign-in gives no code and no token away when', () => {
  it('the server says that it is another resource', async () => {
    paths[RESOURCE] = json({
      resource: 'https://bank.example/mcp',
      authorization_servers: [origin],
    });
    const t = await start();
    expect(await signIn(t)).toMatchObject({ ok: false });
    expect(hasToken()).toBe(false);
  });

  it('the authorization server calls itself another one', async () => {
    paths[SERVER] = json(metadata({ issuer: 'https://bank.example' }));
    const t = await start();
    expect(await signIn(t)).toMatchObject({ ok: false });
    expect(hasToken()).toBe(false);
  });

  it('the answer of the browser names another authorization server', async () => {
    const t = await start();
    const done = await signIn(t, (back) => back.searchParams.set('iss', 'https://bank.example'));
    expect(done).toMatchObject({ ok: false });
    expect(hasToken()).toBe(false);
  });

  it.each([
    ['another host without https', 'http://bank.example/authorize'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
  ])('its page is %s', async (_, endpoint) => {
    paths[SERVER] = json(metadata({ authorization_endpoint: endpoint }));
    const t = await start();
    expect(await signIn(t)).toMatchObject({ ok: false });
    expect(hasToken()).toBe(false);
  });

  it('its tokens are to be had at another host without https, or behind a redirect', async () => {
    const elsewhere: string[] = [];
    const other = await listen((request, response) => {
      elsewhere.push(request.url ?? '');
      response.writeHead(200).end('{}');
    });
    paths['/token'] = (_, response) =>
      void response.writeHead(307, { location: `${other}/token` }).end();
    const t = await start();
    expect(await signIn(t)).toMatchObject({ ok: false });
    expect(elsewhere).toEqual([]);
    paths[SERVER] = json(metadata({ token_endpoint: 'http://bank.example/token' }));
    expect(await signIn(t)).toMatchObject({ ok: false });
  });

  it('it does not prove that nobody took the code: no S256', async () => {
    paths[SERVER] = json(metadata({ code_challenge_methods_supported: ['plain'] }));
    const t = await start();
    expect(await signIn(t)).toMatchObject({ ok: false });
    expect(hasToken()).toBe(false);
  });
});

describe('an authorization server that does not end', () => {
  const endless =
    (type: string): Answer =>
    (_, response) => {
      response.writeHead(200, { 'content-type': type });
      const piece = ' '.repeat(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    };

  it.each(['application/json', 'text/event-stream'])('is cut: %s', async (type) => {
    paths[SERVER] = endless(type);
    const t = await start();
    const before = process.memoryUsage().rss;
    expect(await signIn(t)).toMatchObject({ ok: false, error: expect.stringContaining('1 MiB') });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  it('or says nothing is given up, and so is one that is to renew a token', async () => {
    const t = await start(reply([toolUse('mcp__docs__act', {})]), reply('ok'));
    const whole = paths[SERVER];
    paths[SERVER] = () => {};
    let over: unknown = null;
    t.session.servers.signIns.signIn('docs').then((done) => {
      over = done;
    });
    await expect.poll(() => asked.filter((path) => path === SERVER)).toHaveLength(1);
    await t.clock.advance(AUTHORITY_LIMIT_MS);
    await expect.poll(() => over).toMatchObject({ ok: false });
    if (whole) paths[SERVER] = whole;
    expect(await signIn(t)).toMatchObject({ ok: true });
    await expect.poll(() => t.session.toolServers()[0]?.status).toBe('connected');
    // The token is good no more, and nobody renews it.
    paths['/mcp'] = (_, response) => void response.writeHead(401).end();
    paths['/token'] = () => {};
    asked = [];
    const running = t.run('go');
    await expect.poll(() => hasToken()).toBe(true);
    await t.clock.advance(AUTHORITY_LIMIT_MS);
    const events = await running;
    expect(events.at(-1)).toMatchObject({ type: 'query_finished', terminal: 'completed' });
  });
});
