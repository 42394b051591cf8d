import { once as occurs } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelEvent } from '../../../src/main/engine/model/model-client';
import { createAnthropicClient } from '../../../src/main/engine/model/providers/anthropic';
import {
  type Script,
  type ScriptedApi,
  type ScriptedApiOptions,
  startScriptedApi,
} from '../../support/scripted-api';
import {
  error,
  errorEvent,
  raw,
  reply,
  reset,
  stall,
  toolUse,
  truncated,
  wire,
} from '../../support/scripted-api-replies';
import { ask, clientFor, collect, fakeClock, typesOf } from './fakes';

const servers: ScriptedApi[] = [];
async function serve(script: Script, options?: ScriptedApiOptions): Promise<ScriptedApi> {
  const api = await startScriptedApi(script, options);
  servers.push(api);
  return api;
}
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map((s) => s.close()));
});

const blocks = (events: readonly ModelEvent[]) =>
  events.flatMap((e) => (e.type === 'block_finished' ? [e.block] : []));
const failure = (events: readonly ModelEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'failed' ? last.error : null;
};

describe('failures', () => {
  const once = { maxAttempts: 1 };

  it('words a refused key without the key', async () => {
    const api = await serve([], { apiKey: 'right' });
    const failed = failure(await collect(clientFor(api.url), ask('x')));
    expect(failed).toMatchObject({ kind: 'auth', status: 401, retryable: false });
    expect(failed?.fix).toContain('ANTHROPIC_API_KEY');
    expect(api.requests).toHaveLength(1);
  });

  it.each(['', ' ', '.'])('adds no empty sentence to a refusal that says “%s”', async (said) => {
    const api = await serve([error(400, said)]);
    const failed = failure(await collect(clientFor(api.url, once), ask('x')));
    expect(failed?.kind).toBe('invalid_request');
    expect(failed?.message).not.toMatch(/\. ?\./);
  });

  it('names an unknown model', async () => {
    const api = await serve(() => error(404, 'model: claude-nope'));
    const failed = failure(await collect(clientFor(api.url), ask('x', { model: 'claude-nope' })));
    expect(failed).toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('"claude-nope"'),
    });
  });

  it('names an unreachable host, after three tries', async () => {
    const api = await startScriptedApi([]);
    await api.close();
    const events = await collect(clientFor(api.url), ask('x'));
    expect(failure(events)).toMatchObject({ kind: 'network', unreachable: true });
    expect(failure(events)?.message).toContain(new URL(api.url).host);
    expect(events.filter((e) => e.type === 'retry_waiting')).toHaveLength(2);
  });

  it('never shows a key or a web page a server echoes', async () => {
    const key = 'sk-ant-test-key-000000';
    const api = await serve([
      error(400, `bad header ${key} and sk-ant-api03-another-one`),
      error(502, '<html>'.padEnd(5000, 'x')),
      {
        kind: 'error',
        status: 503,
        body: '<!DOCTYPE html><h1>Oops</h1>',
        headers: { 'content-type': 'text/html' },
      },
    ]);
    const client = clientFor(api.url, once);
    const texts = [];
    for (let i = 0; i < 3; i += 1)
      texts.push(failure(await collect(client, ask('x')))?.message ?? '');
    expect(texts.join()).not.toMatch(/sk-ant|<|xxxx/);
    expect(texts[0]).toContain('bad header');
  });

  it.each([
    [400, 'prompt is too long: 250000 tokens > 200000 maximum', 'prompt_too_long'],
    [400, 'input length and `max_tokens` exceed context limit: 1 + 2 > 2', 'prompt_too_long'],
    [400, 'Your credit balance is too low', 'billing'],
    [400, 'messages.0.content.1: image exceeds 5 MB maximum', 'image'],
    [
      400,
      "messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
      'image',
    ],
    [400, 'messages: roles must alternate', 'invalid_request'],
    [402, 'pay', 'billing'],
    [403, 'no', 'permission'],
    [407, 'who are you', 'network'],
    [413, 'too large', 'prompt_too_long'],
    [429, 'slow', 'rate_limit'],
    [500, 'oops', 'server'],
    [529, 'busy', 'overloaded'],
  ])('%i "%s" is %s', async (status, message, kind) => {
    const api = await serve([error(status, message)]);
    const failed = failure(await collect(clientFor(api.url, once), ask('x')));
    expect(failed).toMatchObject({ kind, status });
    if (kind === 'prompt_too_long' && status === 400) expect(failed?.message).toContain(message);
  });

  it.each<[body: unknown, words: string]>([
    [{ error: 'Out of cheese' }, 'Out of cheese.'],
    [{ detail: 'Out of cheese' }, 'Out of cheese.'],
    [{ message: 'Out of cheese' }, 'Out of cheese.'],
    [{ statusCode: 400, message: 'Out of cheese', error: 'Bad Request' }, 'Out of cheese.'],
    [{ error: 'bad_request', error_description: 'Out of cheese' }, 'Out of cheese.'],
    [{ detail: [{ loc: ['body'], msg: 'Out of cheese', type: 'missing' }] }, 'Out of cheese.'],
    [{ errors: [{ message: 'Out of cheese' }] }, 'Out of cheese.'],
    [[{ error: { code: 400, message: 'Out of cheese' } }], 'Out of cheese.'],
    [{ error: { message: { text: 1, message: 'Out of cheese' } } }, 'Out of cheese.'],
    [{ error: { code: 'out_of_cheese' } }, 'out_of_cheese.'],
    [{ error: { info: 'cheese' } }, '{"error":{"info":"cheese"}}.'],
    [{ error: { type: 'invalid_request_error' } }, '{"error":{"type":"invalid_request_error"}}.'],
    [{ error: null, cheese: { left: 'none' } }, '{"error":null,"cheese":{"left":"none"}}.'],
  ])('tells the words of %j alone', async (body, words) => {
    const api = await serve([{ kind: 'error', status: 400, body, headers: {} }]);
    const failed = failure(await collect(clientFor(api.url, once), ask('x')));
    const host = new URL(api.url).host;
    expect(failed?.message).toBe(`${host} refused the request (400). ${words}`.trim());
  });

  it.each<[event: string, kind: string, message: RegExp]>([
    [
      'data: {"type":"error","error":"Out of cheese"}',
      'server',
      /failed \(500\)\. Out of cheese\.$/,
    ],
    ['data: {"type":"error","message":"Out of cheese"}', 'server', /\. Out of cheese\.$/],
    ['data: {"error":{"code":429,"message":"Slower"}}', 'rate_limit', /\(429\)\. Slower\.$/],
    ['data: {"error":"Out of cheese"}', 'server', /\. Out of cheese\.$/],
    ['event: error\ndata: {"detail":"Out of cheese"}', 'server', /\. Out of cheese\.$/],
    ['event: error\ndata: {"type":"overloaded_error"}', 'overloaded', /\(529\)/],
    [
      'event: error\ndata: {"type":"server_error","error":{"message":"Out of cheese"}}',
      ...(['server', /\. Out of cheese\.$/] as const),
    ],
    ['event: error\ndata: Out of cheese', 'server', /\. Out of cheese\.$/],
    ['event: error\ndata: "Out of cheese"', 'server', /\. Out of cheese\.$/],
  ])('tells the words of an error in the middle of a stream: %s', async (event, kind, message) => {
    const begun = wire({ type: 'message_start', message: { usage: { input_tokens: 1 } } });
    const api = await serve([raw(begun, `${event}\n\n`)]);
    const failed = failure(await collect(clientFor(api.url, once), ask('x')));
    expect(failed).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it.each<[head: string, tries: number, message: RegExp]>([
    ['200 OK\r\nx-odd: a\0b', 3, /answered with what is no HTTP \(.*header.*\)\.$/],
    [`200 OK\r\nx-odd: ${'a'.repeat(20_000)}`, 3, /what is no HTTP \(.*overflow\)\.$/],
    ['200 OK\r\ncontent-encoding: gzip', 1, /is not packed as its content-encoding says/],
    ['200 OK\r\ncontent-encoding: br', 1, /is not packed as its content-encoding says/],
    ['304 Not Modified', 1, /says that nothing has changed \(304\), as a cache does\.$/],
    ['999 Denied', 10, /failed \(999\)\. words\.$/],
    ['099 Low', 10, /failed \(99\)\. words\.$/],
    ['101 Switching', 10, /failed \(101\)\.$/],
  ])('tells of an odd head of an answer: %s', async (head, tries, message) => {
    let asked = 0;
    const server = createServer((socket) => {
      socket.once('data', () => {
        asked += 1;
        socket.end(`HTTP/1.1 ${head}\r\ncontent-length: 5\r\n\r\nwords`);
      });
    });
    server.listen(0, '127.0.0.1');
    await occurs(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const failed = failure(await collect(clientFor(`http://127.0.0.1:${port}`), ask('x')));
    server.close();
    expect(failed?.message).toMatch(message);
    expect(failed?.fix ?? '').not.toContain('ANTHROPIC_CUSTOM_HEADERS');
    expect(asked).toBe(tries);
  });

  it.each([
    ['truncated', truncated(reply(['Hello', toolUse('Bash', { command: 'x' })]), 8), 'truncated'],
    ['reset', reset(reply('Hello there'), 4), 'network'],
    ['overloaded inside the stream', errorEvent(reply('Hello'), 4), 'overloaded'],
    ['api_error inside the stream', errorEvent(reply('Hello'), 4, 'api_error'), 'server'],
  ])('a stream that is %s fails, and no cut tool input comes out', async (_, script, kind) => {
    const api = await serve([script]);
    const bare = createAnthropicClient({
      apiKey: 'test-key',
      baseUrl: api.url,
      clock: fakeClock(),
      price: () => 0,
    });
    const events = await collect(bare, ask('x'));
    expect(failure(events)?.kind).toBe(kind);
    expect(blocks(events).filter((b) => b.type === 'tool_use')).toEqual([]);
    expect(typesOf(events).filter((t) => t === 'failed')).toHaveLength(1);
  });

  const begun = [
    wire({ type: 'message_start', message: { usage: { input_tokens: 1 } } }),
    wire({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hello' } }),
    wire({ type: 'content_block_stop', index: 0 }),
  ];
  const reason = wire({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
  const stop = wire({ type: 'message_stop' });
  const lines = (...events: readonly string[]) =>
    events.map((event) => event.replace(/^event.*\ndata: |\n$/g, '')).join('');
  const DONE = 'data: [DONE]\n\n';

  it.each<[what: string, sent: readonly string[], kind: string | null]>([
    ['the end mark of another API', [...begun, reason, DONE], null],
    ['the end mark of another API behind half an answer', [...begun, DONE], 'truncated'],
    [
      'words by which a line is kept open',
      [...begun, 'event: keep-alive\ndata: still here\n\n', reason, stop],
      null,
    ],
    ['words that are no event', [...begun, 'data: still here\n\n', reason, stop], 'truncated'],
    ['lines that are events', [lines(...begun, reason, stop)], null],
    ['no end behind the reason to stop', [...begun, reason], null],
    ['lines that are events, without their end', [lines(...begun, reason)], null],
    ['lines that are events, and break off', [lines(...begun)], 'truncated'],
    ['lines of another API', ['{"message":{"content":"a"}}\n{"done":true}\n'], 'not_found'],
    ['half of an answer in many lines', ['{\n"type": "message",\n"content": ['], 'truncated'],
  ])('reads a stream with %s', async (_, sent, kind) => {
    const api = await serve([raw(...sent)]);
    const bare = createAnthropicClient({
      apiKey: 'test-key',
      baseUrl: api.url,
      clock: fakeClock(),
      price: () => 0,
    });
    const events = await collect(bare, ask('x'));
    expect(failure(events)?.kind ?? null).toBe(kind);
    if (kind === null) expect(blocks(events)).toEqual([{ type: 'text', text: 'Hello' }]);
  });

  it('takes the types of events from the lines beside them, and what is an error for one', async () => {
    const bare = (type: string, event: object) =>
      `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    const begun = [
      bare('message_start', { message: { usage: { input_tokens: 1 } } }),
      bare('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      bare('content_block_delta', { index: 0, delta: { text: 'Hello' } }),
    ];
    const ended = [
      bare('content_block_stop', { type: null, index: 0 }),
      bare('message_delta', { delta: { stop_reason: 'end_turn' } }),
      bare('message_stop', {}),
    ];
    const refused = bare('message_delta', { error: { type: 'overloaded_error' } });
    const api = await serve([raw(...begun, ...ended), raw(...begun, refused)]);
    const client = clientFor(api.url, once);
    expect(blocks(await collect(client, ask('x')))).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(failure(await collect(client, ask('x')))?.kind).toBe('overloaded');
  });

  it('stops at once when aborted, even in a stalled stream', async () => {
    const api = await serve([stall(reply('Hello there, this never ends'), 5)]);
    const abort = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of clientFor(api.url).stream(ask('x'), abort.signal)) {
      events.push(event);
      if (event.type === 'block_delta') abort.abort();
    }
    expect(failure(events)).toMatchObject({ kind: 'aborted' });
  });

  it('does not send a request that was aborted before', async () => {
    const api = await serve([reply('x')]);
    const events = await collect(clientFor(api.url), ask('x'), AbortSignal.abort());
    expect(failure(events)?.kind).toBe('aborted');
    expect(api.requests).toHaveLength(0);
  });

  it('closes the connection when its reader walks away', async () => {
    const api = await serve([stall(reply('Hello there'), 4), reply('second')]);
    const client = clientFor(api.url);
    for await (const event of client.stream(ask('x'), new AbortController().signal))
      if (event.type === 'block_started') break;
    expect(typesOf(await collect(client, ask('y'))).at(-1)).toBe('message_finished');
  });

  it('says so when the address answers with a web page', async () => {
    const page = {
      kind: 'error',
      status: 200,
      body: '<html>',
      headers: { 'content-type': 'text/html' },
    } as const;
    const api = await serve([page]);
    const failed = failure(await collect(clientFor(api.url), ask('x')));
    expect(failed).toMatchObject({ kind: 'not_found', fix: 'Check the base URL.' });
  });
});
