import { afterEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
let server: WebSocketServer | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
  for (const client of server?.clients ?? []) client.terminate();
  server?.close();
  server = null;
});

const TOOL = { name: 'hello', inputSchema: { type: 'object' } };

/** A server behind a web socket with one tool; `onLine` sees each connection with its headers. */
async function serve(onLine: (line: WebSocket, headers: Record<string, unknown>) => void) {
  const listening = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server = listening;
  listening.on('connection', (line, request) => {
    onLine(line, { ...request.headers });
    line.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data));
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'socket', version: '1' },
        },
        'tools/list': { tools: [TOOL] },
        'tools/call': { content: [{ type: 'text', text: 'Hello through the socket.' }] },
      };
      if (id === undefined) return;
      const result = results[method];
      const error = { code: -32_601, message: 'no such method' };
      line.send(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    });
  });
  await new Promise<void>((resolve) => listening.once('listening', resolve));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `ws://127.0.0.1:${address.port}`;
}

const at = (url: string, remote: object = {}): McpServerSetting => ({
  name: 'sock',
  command: '',
  args: [],
  env: {},
  alwaysLoad: true,
  file: '.mcp.json',
  remote: { type: 'ws', url, headers: {}, ...remote },
});
const rules = [{ behavior: 'allow', text: 'mcp__sock', source: 'userSettings' }] as const;
const status = (t: TestSession) => t.session.toolServers().map((one) => one.status);

it('a server behind a web socket answers calls, and gets its headers and those of its helper', async () => {
  const seen: Record<string, unknown>[] = [];
  const url = await serve((_, headers) => seen.push(headers));
  const headersHelper = `printf '{"x-token":"%s"}' "fresh-$CLAUDE_CODE_MCP_SERVER_NAME"`;
  const settings = at(url, { headers: { 'x-plain': 'a', 'x-token': 'old' }, headersHelper });
  open = await openTestSession([reply([toolUse('mcp__sock__hello', {})]), reply(['Done.'])], {
    settings: { mcpServers: [settings], rules },
  });
  const t = open;
  await expect.poll(() => status(t)).toEqual(['connected']);
  await t.run('say hello');
  expect(JSON.stringify(t.api.requests[1]?.body.messages)).toContain('Hello through the socket.');
  expect(seen[0]).toMatchObject({ 'x-plain': 'a', 'x-token': 'fresh-sock' });
});

it('one that closes the line is lost, and found again', async () => {
  const lines: WebSocket[] = [];
  const url = await serve((line) => lines.push(line));
  open = await openTestSession([], { settings: { mcpServers: [at(url)] } });
  const t = open;
  t.session.syncToolServers();
  await expect.poll(() => status(t)).toEqual(['connected']);
  lines[0]?.close(1001, 'going away');
  await expect.poll(() => t.session.toolServers()[0]?.problem).toContain('1001: going away');
  await t.clock.advance(1_000);
  await expect.poll(() => status(t)).toEqual(['connected']);
  expect(lines).toHaveLength(2);
});

it.each([
  ['fails', 'echo s3cret; exit 3', 'Its headersHelper failed with exit code 3.'],
  [
    'prints no headers',
    'echo s3cret',
    'Its headersHelper printed no JSON object of names and texts.',
  ],
  ['has no end', 'yes s3cret', 'Its headersHelper printed more than 64 KiB.'],
])('a helper that %s is told, and nothing that it printed', async (_, headersHelper, why) => {
  open = await openTestSession([], {
    settings: { mcpServers: [at('ws://127.0.0.1:9', { headersHelper })] },
  });
  const t = open;
  t.session.syncToolServers();
  await expect.poll(() => t.session.toolServers()[0]?.problem).toContain(why);
  expect(t.session.toolServers()[0]?.problem).not.toContain('s3cret');
});

it('an address where nobody opens a web socket is told', async () => {
  const url = await serve(() => {});
  const listening = server;
  await new Promise<void>((resolve) => listening?.close(() => resolve()));
  open = await openTestSession([], { settings: { mcpServers: [at(url)] } });
  const t = open;
  t.session.syncToolServers();
  await expect
    .poll(() => t.session.toolServers()[0]?.problem)
    .toBe(`The tool server "sock" did not start. No web socket could be opened at ${url} (1006).`);
});

it('an address that is none for a web socket is told', async () => {
  open = await openTestSession([], { settings: { mcpServers: [at('https://x.example')] } });
  const t = open;
  t.session.syncToolServers();
  await expect
    .poll(() => t.session.toolServers()[0]?.problem)
    .toContain('https://x.example is no address with ws or wss.');
});
