import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { badServer } from './bad-server';

let folder: string;
let open: TestSession | null = null;
let server: Server | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-bad-'));
});
afterEach(async () => {
  await open?.close();
  open = null;
  server?.closeAllConnections();
  server?.close();
  server = null;
  await rm(folder, { recursive: true, force: true });
});

/** Runs a prompt whose answers call a tool `calls` times of a server with such answers, and gives what the model was told. */
const toldBy = async (body: string, calls: number) => toldOf(await badServer(folder, body), calls);

async function toldOf(bad: McpServerSetting, calls: number): Promise<readonly string[]> {
  const call = () => reply([toolUse('mcp__bad__hello', {})]);
  open = await openTestSession([...Array.from({ length: calls }, call), reply('Done.')], {
    settings: {
      mcpServers: [bad],
      rules: [{ behavior: 'allow', text: 'mcp__bad', source: 'userSettings' }],
    },
  });
  const { session, api } = open;
  session.syncToolServers();
  await expect.poll(() => session.toolServers().map(({ status }) => status)).toEqual(['connected']);
  await open.run('go');
  return api.requests.map(({ body }) => JSON.stringify(body.messages));
}

it.each([
  ['a text', `'just words'`],
  ['a list', '[1]'],
  ['nothing', 'undefined'],
])(
  'an answer that is %s is a failure of its call, and the next one goes well',
  async (_, answer) => {
    const told = await toldBy(
      `let calls = 0;
    answers['tools/call'] = (_, id) => {
      calls += 1;
      if (calls > 1) return { content: [{ type: 'text', text: 'Hello.' }] };
      send({ id, result: ${answer} });
    };`,
      2,
    );
    expect(told[1]).toContain('has no form that can be read');
    expect(told[2]).toContain('Hello.');
  },
);

it('a server that closes its output has ended, and its calls have failed', async () => {
  const told = await toldBy(
    `answers['tools/call'] = () => { process.stdout.end(); };
    setInterval(() => {}, 1_000);`,
    1,
  );
  expect(told[1]).toContain('It closed its output.');
});

it('an answer with a kind of content that nobody knows keeps the others, and names it', async () => {
  const told = await toldBy(
    `answers['tools/call'] = () => ({ content: [
      { type: 'text', text: 'Hello.' }, { type: 'hologram', beam: 1 }, 7, { type: 'text', text: 'Bye.' },
    ] });`,
    1,
  );
  expect(told[1]).toContain('Hello.');
  expect(told[1]).toContain('content of the type “hologram”, which Lathe does not know');
  expect(told[1]).toContain('Bye.');
});

/** An answer of HTTP to the first call: its kind, and its body for the call's id. */
type Said = readonly [type: string, body: (id: number) => string];

/** Starts a server at an address whose first call is answered so; the second goes well. */
async function badAddress([type, body]: Said): Promise<McpServerSetting> {
  let calls = 0;
  const started = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => {
      text += part.toString();
    });
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(text);
      if (id === undefined) return response.writeHead(202).end();
      const isCall = method === 'tools/call';
      if (isCall) calls += 1;
      if (isCall && calls === 1)
        return response.writeHead(200, { 'content-type': type }).end(body(id));
      const { protocolVersion } = params ?? {};
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion,
          ...{ capabilities: { tools: {} }, serverInfo: { name: 'bad', version: '1' } },
        },
        'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'Hello.' }] },
      };
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] });
      return response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  return {
    ...{ name: 'bad', command: '', args: [], env: {}, alwaysLoad: true, file: '.mcp.json' },
    remote: { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} },
  };
}

const EVENTS = 'text/event-stream';
const JSON_TYPE = 'application/json';
const event = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

it.each<[string, Said]>([
  ['an event in no form', [EVENTS, (id) => event({ jsonrpc: '2.0', id, result: 'words' })]],
  ['an event that is no message', [EVENTS, () => 'data: just words\n\n']],
  ['an event for somebody else', [EVENTS, () => event({ jsonrpc: '2.0', id: 999, result: {} })]],
  ['an event that is cut off', [EVENTS, () => 'data: {"jsonrpc":"2.0",']],
  ['no event', [EVENTS, () => ': nothing\n\n']],
  ['an event without an end', [EVENTS, () => `data: ${'x'.repeat(33 * 1024 * 1024)}`]],
  ['a text', [JSON_TYPE, (id) => JSON.stringify({ jsonrpc: '2.0', id, result: 'words' })]],
  ['no JSON', [JSON_TYPE, () => 'just words']],
  ['an answer for somebody else', [JSON_TYPE, () => '{"jsonrpc":"2.0","id":999,"result":{}}']],
  ['nothing', [JSON_TYPE, () => '']],
])('over HTTP, %s is a failure of its call, and the next one goes well', async (_, said) => {
  const told = await toldOf(await badAddress(said), 2);
  expect(told[1]).toMatch(
    /has no form that can be read|is no JSON|did not answer what it was asked|is longer than/,
  );
  expect(told[2]).toContain('Hello.');
});

it.each<[string, Said]>([
  [
    'events in several lines and of other kinds',
    [
      EVENTS,
      (id) =>
        `: hello\r\n\r\nevent: other\r\ndata: x\r\n\r\nid: 5\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":${id},"result":{"content":[{"type":"text","text":"Grüße."}]}}\r\n\r\n`,
    ],
  ],
  [
    'an answer without a version',
    [EVENTS, (id) => event({ id, result: { content: [{ type: 'text', text: 'Grüße.' }] } })],
  ],
  [
    'a list of answers',
    [
      JSON_TYPE,
      (id) =>
        JSON.stringify([
          { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'Grüße.' }] } },
        ]),
    ],
  ],
])('over HTTP, %s are read', async (_, said) => {
  const told = await toldOf(await badAddress(said), 1);
  expect(told[1]).toContain('Grüße.');
});
