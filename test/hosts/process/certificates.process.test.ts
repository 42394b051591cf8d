import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import tls from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { hold, reply, text, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace } from './lathe';

const TLS = join(import.meta.dirname, '..', '..', 'fixtures', 'tls');
const file = (name: string) => join(TLS, name);
const pem = (name: string) => readFileSync(file(name));

let api: ScriptedApi;
const servers: Server[] = [];

beforeEach(async () => {
  api = await startScriptedApi(() => reply('fine'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await api.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The scripted API behind TLS; `asks` wants a certificate of whoever comes. */
const secured = (asks: boolean): Promise<number> => {
  const options = { key: pem('server.key'), cert: pem('server.pem'), ca: pem('ca.pem') };
  const server = tls.createServer({ ...options, requestCert: asks, rejectUnauthorized: asks });
  server.on('secureConnection', (socket) => {
    const up = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => up.destroy());
    up.on('error', () => socket.destroy());
    socket.pipe(up).pipe(socket);
  });
  return portOf(server);
};

async function ask(port: number, env: Readonly<Record<string, string>>) {
  const workspace = await makeWorkspace();
  const { child, finished } = lathe(workspace, ['-p', 'go', '--trust'], {
    ANTHROPIC_BASE_URL: `https://localhost:${port}`,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
    ...env,
  });
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  await workspace.remove();
  return { code, stdout, stderr };
}

const FINE = { code: 0, stdout: 'fine\n', stderr: '' };

test('an authority of the company is trusted when Node or the system is told of it', async () => {
  const port = await secured(false);
  const [unknown, named, bySystem, notBySystem] = await Promise.all([
    ask(port, {}),
    ask(port, { NODE_EXTRA_CA_CERTS: file('ca.pem') }),
    ask(port, { SSL_CERT_FILE: file('ca.pem') }),
    ask(port, { SSL_CERT_FILE: file('ca.pem'), CLAUDE_CODE_CERT_STORE: 'bundled' }),
  ]);
  for (const refused of [unknown, notBySystem]) {
    // A failure of the API stands where the answer would (docs/headless.md).
    expect(refused).toMatchObject({ code: 1, stderr: '' });
    expect(refused.stdout).toMatch(/secure connection to localhost:\d+ failed .*NODE_EXTRA_CA/);
  }
  expect(named).toEqual(FINE);
  expect(bySystem).toEqual(FINE);
  expect(api.requests).toHaveLength(2);
});

test('a client certificate is shown, through a proxy too; without one its lack is said', async () => {
  const port = await secured(true);
  const trusting = { NODE_EXTRA_CA_CERTS: file('ca.pem') };
  const own = {
    ...trusting,
    CLAUDE_CODE_CLIENT_CERT: file('client.pem'),
    CLAUDE_CODE_CLIENT_KEY: file('client-locked.key'),
    CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: 'open',
  };
  const tunnels: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      tunnels.push(String(head).split('\r\n')[0] ?? '');
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      const up = connect(port, '127.0.0.1');
      up.on('error', () => socket.destroy());
      socket.pipe(up).pipe(socket);
    });
  });
  const proxyPort = await portOf(proxy);
  const [without, shown, throughProxy] = await Promise.all([
    ask(port, trusting),
    ask(port, own),
    ask(port, { ...own, HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` }),
  ]);
  expect(without.stdout).toMatch(/asks for a client certificate .*CLAUDE_CODE_CLIENT_CERT/);
  expect(shown).toEqual(FINE);
  expect(throughProxy).toEqual(FINE);
  expect(tunnels).toEqual([`CONNECT localhost:${port} HTTP/1.1`]);
});

test('a proxy that wants a name and a password gets those of its address; without them it is told', async () => {
  const port = await secured(false);
  const asked: string[] = [];
  const key = `Basic ${Buffer.from('ann:s:e cret@1').toString('base64')}`;
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const given = /^proxy-authorization: (.*)\r$/im.exec(String(head))?.[1] ?? 'nothing';
      asked.push(given);
      if (given !== key)
        return socket.end(
          'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="harbour"\r\nContent-Length: 0\r\n\r\n',
        );
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      const up = connect(port, '127.0.0.1');
      up.on('error', () => socket.destroy());
      socket.pipe(up).pipe(socket);
    });
  });
  const proxyPort = await portOf(proxy);
  const trusting = { NODE_EXTRA_CA_CERTS: file('ca.pem') };
  const by = (user: string) => ({
    ...trusting,
    HTTPS_PROXY: `http://${user}127.0.0.1:${proxyPort}`,
  });
  expect(await ask(port, by('ann:s%3Ae%20cret%401@'))).toEqual(FINE);
  expect(asked).toEqual([key]);
  const refused = await ask(port, by(''));
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('The proxy wants a name and a password (407).'),
  });
  // Once: another try would end the same way.
  expect(asked).toEqual([key, 'nothing']);
  expect(refused.stdout).not.toContain('cret');
});

/** A server of the company: a page, and a tool server with one tool. Tells what was asked of it, and when of its tools. */
async function company() {
  const asked: string[] = [];
  const listed = Promise.withResolvers<void>();
  const server = https.createServer({ key: pem('server.key'), cert: pem('server.pem') });
  server.on('request', async (request, response) => {
    if (request.method !== 'POST') {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(request.url === '/page' ? 200 : 405, { 'content-type': 'text/plain' });
      return response.end('a page of the company');
    }
    const { id, method } = (await json(request)) as { id?: number; method: string };
    asked.push(request.url === '/hook' ? 'hook' : method);
    if (method === 'tools/list') listed.resolve();
    if (id === undefined) return response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'company', version: '1' },
      },
      'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  });
  return { port: await portOf(server), asked, listed: listed.promise };
}

test('pages, tool servers and hooks behind an authority of the system are reached too', async () => {
  const { port, asked, listed } = await company();
  const url = `https://localhost:${port}`;
  const mcp = JSON.stringify({ mcpServers: { company: { type: 'http', url: `${url}/mcp` } } });
  const hooks = { PostToolUse: [{ hooks: [{ type: 'http', url: `${url}/hook` }] }] };
  const run = async (env: Readonly<Record<string, string>>, end: ReturnType<typeof reply>) => {
    asked.length = 0;
    const workspace = await makeWorkspace();
    const script = await startScriptedApi((_, number) =>
      number === 0
        ? reply(toolUse('WebFetch', { url: `${url}/page`, prompt: 'What is it?' }))
        : end,
    );
    const words = [
      '-p',
      'go',
      '--trust',
      '--mcp-config',
      mcp,
      '--settings',
      JSON.stringify({ hooks }),
    ];
    const allowed = ['--allowedTools', 'WebFetch(domain:localhost)'];
    const { child, finished } = lathe(workspace, [...words, ...allowed], {
      ANTHROPIC_BASE_URL: script.url,
      ANTHROPIC_API_KEY: 'sk-test-0123456789',
      ...env,
    });
    child.stdin.end();
    const { code, stdout } = await finished;
    await script.close();
    await workspace.remove();
    return { code, stdout, asked: new Set(asked) };
  };
  const reached = await run(
    { SSL_CERT_FILE: file('ca.pem') },
    // No turn waits for a tool server; this answer does.
    reply([hold(listed), text('fine')]),
  );
  expect(reached).toMatchObject({ code: 0, stdout: 'fine\n' });
  expect([...reached.asked]).toEqual(
    expect.arrayContaining(['initialize', 'tools/list', 'GET /page', 'hook']),
  );
  const bundled = { SSL_CERT_FILE: file('ca.pem'), CLAUDE_CODE_CERT_STORE: 'bundled' };
  expect([...(await run(bundled, reply('fine'))).asked]).toEqual([]);
});
