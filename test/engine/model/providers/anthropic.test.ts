import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelEvent } from '../../../../src/main/engine/model/model-client';
import { createBodyJson } from '../../../../src/main/engine/model/providers/anthropic';
import { runs } from '../../../support/runs';
import {
  type Script,
  type ScriptedApi,
  type ScriptedApiOptions,
  startScriptedApi,
} from '../../../support/scripted-api';
import { hold, reply, thinking, toolUse, toolUseJson } from '../../../support/scripted-api-replies';
import { ask, clientFor, collect, fakeClock } from '../fakes';
import { close, delta, end, json, open, start, toolBlock } from '../stream-events';

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

describe('a request through the real SDK', () => {
  it('assembles text, thinking and tool input, split inside characters', async () => {
    const text = 'Grüße, 世界 👩‍💻 — done. '.repeat(20);
    const input = { file_path: '/tmp/ä 👍.ts', nested: { list: [1, null, 'x'] } };
    const api = await serve(
      [reply([thinking('Let me see … 🤔'), text, toolUse('Read', input, 'toolu_a')])],
      { chunkBytes: 7 },
    );
    const events = await collect(clientFor(api.url), ask('hello'));
    expect(blocks(events)).toEqual([
      { type: 'thinking', thinking: 'Let me see … 🤔', signature: expect.any(String) },
      { type: 'text', text },
      { type: 'tool_use', id: 'toolu_a', name: 'Read', input },
    ]);
    const deltas = events.flatMap((e) =>
      e.type === 'block_delta' && e.index === 1 ? [e.text] : [],
    );
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join('')).toBe(text);
    expect(events.at(-1)).toMatchObject({ type: 'message_finished', stopReason: 'tool_use' });
  });

  it('tells pieces of one block that came with one read as one, and keeps blocks and order', async () => {
    const events = [
      start(),
      open(0, { type: 'text', text: '' }),
      ...['Grü', 'ße, ', '世界'].map((text) => delta(0, { type: 'text_delta', text })),
      close(0),
      open(1, toolBlock),
      ...['{"command"', ':"ls"}'].map((piece) => json(1, piece)),
      close(1),
      ...end('tool_use'),
    ].map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = async () => new Response(events.join(''), { headers });
    const told = await collect(clientFor('http://one-read.test', { fetch }), ask('hello'));
    expect(told.slice(1, -1)).toMatchObject([
      { type: 'block_started', index: 0 },
      { type: 'block_delta', index: 0, text: 'Grüße, 世界' },
      { type: 'block_finished', index: 0, block: { type: 'text', text: 'Grüße, 世界' } },
      { type: 'block_started', index: 1 },
      { type: 'block_delta', index: 1, text: '{"command":"ls"}' },
      { type: 'block_finished', index: 1, block: { input: { command: 'ls' } } },
    ]);
  });

  it('gives each block as soon as it is finished, before the answer ends', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const api = await serve([
      reply([toolUse('Read', { file_path: '/a' }), { kind: 'hold', until }, 'after']),
    ]);
    const seen: string[] = [];
    for await (const event of clientFor(api.url).stream(ask('x'), new AbortController().signal)) {
      seen.push(event.type);
      if (event.type === 'block_finished') release();
    }
    expect(seen.indexOf('block_finished')).toBeLessThan(seen.lastIndexOf('block_started'));
  });

  it('counts usage once and prices it', async () => {
    const usage = {
      input_tokens: 11,
      output_tokens: 22,
      cache_read_input_tokens: 33,
      cache_creation_input_tokens: 44,
    };
    const api = await serve([reply('hi', { usage })]);
    const client = clientFor(api.url, {
      price: (u, model) => (model.includes('opus') ? u.outputTokens : -1),
    });
    const events = await collect(client, ask('x'));
    expect(events.at(-1)).toMatchObject({
      type: 'message_finished',
      usage: { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheWriteTokens: 44 },
      costUsd: 22,
    });
  });

  it.each([
    [500, { ttftMs: 0, tokensPerSecond: 40 }],
    [3, { ttftMs: 0 }],
  ])('tells the speed of an answer that took %d ms', async (span, facts) => {
    const more = Promise.withResolvers<void>();
    const api = await serve([reply(['a', hold(more.promise), 'b'])]);
    let now = 0;
    const clock = { ...fakeClock(), now: () => now };
    const events: ModelEvent[] = [];
    for await (const event of clientFor(api.url, { clock }).stream(
      ask('x'),
      new AbortController().signal,
    )) {
      events.push(event);
      if (event.type !== 'block_delta') continue;
      now = span;
      more.resolve();
    }
    const { ttftMs, tokensPerSecond } = Object(events.at(-1));
    expect({ ttftMs, tokensPerSecond }).toEqual({ tokensPerSecond: undefined, ...facts });
  });

  it('sends adaptive thinking and effort, and nothing the API refuses', async () => {
    const api = await serve([reply('hi')]);
    await collect(clientFor(api.url), ask('x', { effort: 'max' }));
    const body = api.requests[0]?.body;
    expect(body).toMatchObject({
      model: 'claude-opus-5-5',
      stream: true,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'max' },
    });
    for (const field of ['temperature', 'top_p', 'top_k', 'tool_choice', 'tools'])
      expect(body).not.toHaveProperty(field);
  });

  it.each([
    ['claude-haiku-4-5-20251001', undefined, undefined],
    ['claude-opus-4-6', 'xhigh', { effort: 'high' }],
    ['some-other-model', 'high', undefined],
  ])('adapts the request to %s', async (model, effort, expected) => {
    const api = await serve([reply('hi')]);
    await collect(clientFor(api.url), ask('x', { model, ...(effort ? { effort } : {}) }));
    expect(api.requests[0]?.body['output_config']).toEqual(expected);
    expect('thinking' in (api.requests[0]?.body ?? {})).toBe(model === 'claude-opus-4-6');
  });

  it('asks the official endpoint alone to count thinking, and only what is not shown', async () => {
    const official = 'https://api.anthropic.com';
    const api = await serve(() => reply('hi'));
    const there: typeof fetch = (url, init) => fetch(String(url).replace(official, api.url), init);
    const hidden = ask('x', { thinkingDisplay: 'omitted' });
    for (const [url, request] of [
      [official, hidden],
      [official, ask('x')],
      [api.url, hidden],
    ] as const)
      await collect(clientFor(url, { fetch: there }), request);
    const counts = api.requests.map(({ betas }) => betas.join().includes('thinking-token-count'));
    expect(counts).toEqual([true, false, false]);
  });

  it('takes key, headers, version and betas only from its options', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-from-environment');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-from-environment');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'X-Leak: secret\nX-Api-Key: other');
    const api = await serve([reply('hi'), reply('hi')]);
    const options = {
      version: '2023-06-01',
      betas: ['some-beta'],
      customHeaders: { 'X-Team': 'blue', 'Anthropic-Beta': 'own-beta' },
    };
    await collect(clientFor(api.url, options), ask('x'));
    const headers = api.requests[0]?.headers ?? {};
    expect(headers).toMatchObject({
      'x-api-key': 'sk-ant-test-key-000000',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'some-beta,own-beta',
      'x-team': 'blue',
    });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-leak');
    await collect(clientFor(`${api.url}/v1/`, { apiKey: '', authToken: 'tok' }), ask('x'));
    expect(api.requests[1]?.headers).toMatchObject({ authorization: 'Bearer tok' });
    expect(api.requests[1]?.headers).not.toHaveProperty('x-api-key');
  });

  it('does not send anything without a key', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-from-environment');
    const api = await serve([reply('hi')]);
    const events = await collect(clientFor(api.url, { apiKey: '' }), ask('x'));
    expect(failure(events)).toMatchObject({ kind: 'auth', retryable: false });
    expect(api.requests).toHaveLength(0);
  });
});

describe('tool input', () => {
  it.each([
    ['', {}],
    [
      '{"__proto__": {"polluted": true}, "a": 1}',
      JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'),
    ],
    ['{"a": "\\u0000\\ud83d\\ude00"}', { a: '\u0000😀' }],
  ])('%s is accepted', async (json, input) => {
    const api = await serve([reply([toolUseJson('T', json)])]);
    const [block] = blocks(await collect(clientFor(api.url), ask('x')));
    expect(block).toEqual({ type: 'tool_use', id: expect.any(String), name: 'T', input });
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    '{"command": "rm -rf /tmp/x',
    '{"a": 1}}',
    '[1]',
    'null',
    '"x"',
    "{'a': 1}",
    '{"a": 1,}',
  ])('%s is never repaired', async (json) => {
    const api = await serve([reply([toolUseJson('Bash', json)], { stopReason: 'max_tokens' })]);
    const [block] = blocks(await collect(clientFor(api.url), ask('x')));
    expect(block).toMatchObject({ type: 'tool_use', input: {}, invalid: expect.any(String) });
  });
});

const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
const list = fc.oneof(fc.array(object), fc.jsonValue(), fc.constant(undefined));
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: list });
const body = fc.record(
  {
    model: fc.string(),
    max_tokens: fc.nat(),
    system: list,
    tools: list,
    messages: fc.oneof(fc.array(message), list),
    metadata: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  },
  { requiredKeys: [] },
);

it('makes of any body what JSON.stringify makes, also of parts it has met before', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 3 }), (bodies) => {
      const json = createBodyJson();
      for (const one of [...bodies, ...bodies]) {
        expect(json(one)).toBe(JSON.stringify(one));
        expect(json({ ...one, tools: bodies[0]?.tools })).toBe(
          JSON.stringify({ ...one, tools: bodies[0]?.tools }),
        );
      }
    }),
    { numRuns: runs(100) },
  );
});

it('turns a message once, and a long one each time', () => {
  const json = createBodyJson();
  let turned = 0;
  const message = (text: string) => ({
    role: 'user',
    get content() {
      turned += 1;
      return text;
    },
  });
  const messages = [message('short'), message('long'.repeat(20_000))];
  for (let i = 0; i < 3; i += 1) json({ messages: [...messages] });
  expect(turned).toBe(1 + 3);
});
