import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoApi, startDemoApi } from '../../src/main/demo/api-server';
import { DEMO_MODEL } from '../../src/shared/settings';
import { ALL_TOOLS, CWD } from './conversation';

const HASTE = { perWordMs: 0, maxReplyMs: 0 };

let api: DemoApi;
let sdk: Anthropic;
beforeAll(async () => {
  api = await startDemoApi(HASTE);
  sdk = new Anthropic({ apiKey: 'any', baseURL: api.url, maxRetries: 0 });
});
afterAll(() => api.close());

const TOOLS = ALL_TOOLS.map((name) => ({ name, input_schema: { type: 'object' as const } }));
const ASK = {
  model: DEMO_MODEL,
  max_tokens: 1000,
  system: `Working directory: ${CWD}`,
  tools: TOOLS,
  messages: [{ role: 'user' as const, content: 'go' }],
};

test('the real SDK reads a streamed answer whole', async () => {
  const stream = sdk.messages.stream(ASK);
  const kinds = new Set<string>();
  for await (const event of stream) kinds.add(event.type);
  const message = await stream.finalMessage();
  expect([...kinds]).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(message).toMatchObject({ model: DEMO_MODEL, role: 'assistant', stop_reason: 'tool_use' });
  expect(message.content.map((b) => b.type)).toEqual([
    'text',
    'tool_use',
    'text',
    'tool_use',
    'tool_use',
    'tool_use',
  ]);
  const read = message.content.find((b) => b.type === 'tool_use' && b.name === 'Read');
  expect(read).toMatchObject({ input: { file_path: `${CWD}/src/departures.js` } });
  const ids = message.content.flatMap((b) => (b.type === 'tool_use' ? [b.id] : []));
  expect(new Set(ids).size).toBe(4);
  expect(message.usage).toMatchObject({ cache_read_input_tokens: 0, service_tier: 'offline-demo' });
  expect(message.usage.input_tokens).toBeGreaterThan(50);
  expect(message.usage.output_tokens).toBeGreaterThan(100);
});

test('thinking arrives as a thinking block with a signature', async () => {
  const results = [
    {
      type: 'tool_use' as const,
      id: 'a',
      name: 'Read',
      input: { file_path: `${CWD}/src/departures.js` },
    },
    {
      type: 'tool_use' as const,
      id: 'b',
      name: 'Read',
      input: { file_path: `${CWD}/src/clock.js` },
    },
    {
      type: 'tool_use' as const,
      id: 'c',
      name: 'Bash',
      input: { command: 'npm test', run_in_background: true },
    },
  ];
  const messages = [
    ...ASK.messages,
    { role: 'assistant' as const, content: results },
    {
      role: 'user' as const,
      content: results.map((r) => ({
        type: 'tool_result' as const,
        tool_use_id: r.id,
        content: 'return time - now;',
      })),
    },
  ];
  const message = await sdk.messages.stream({ ...ASK, messages }).finalMessage();
  expect(message.content[0]).toMatchObject({
    type: 'thinking',
    signature: 'offline-demo',
    thinking: expect.stringContaining('1415'),
  });
  expect(message.content.at(-1)).toMatchObject({
    name: 'Edit',
    input: { old_string: '  return time - now;\n' },
  });
});

test('a request that does not stream gets the same content', async () => {
  const whole = await sdk.messages.create(ASK);
  const streamed = await sdk.messages.stream(ASK).finalMessage();
  const bare = (content: typeof whole.content) => content.map((b) => ({ ...b, id: '' }));
  expect(bare(whole.content)).toEqual(bare(streamed.content));
  expect(whole.stop_reason).toBe('tool_use');
});

test('the models are listed, and tokens are counted', async () => {
  const models = await sdk.models.list();
  expect(models.data.map((m) => m.id)).toEqual([DEMO_MODEL]);
  expect((await sdk.models.retrieve(DEMO_MODEL)).display_name).toContain('not a model');
  const { input_tokens } = await sdk.messages.countTokens({
    model: DEMO_MODEL,
    messages: ASK.messages,
  });
  expect(input_tokens).toBeGreaterThan(0);
});

const post = async (path: string, body: string) => {
  const answer = await fetch(api.url + path, { method: 'POST', body });
  return { status: answer.status, body: await answer.json() };
};

test.each([
  ['no JSON', '/v1/messages', '{', 400, 'invalid_request_error'],
  ['no messages', '/v1/messages', '{}', 400, 'invalid_request_error'],
  ['another address', '/v1/complete', '{}', 404, 'not_found_error'],
  ['too much', '/v1/messages', ' '.repeat(33 * 1024 * 1024), 413, 'request_too_large'],
])('refuses %s in the words of the API', async (_what, path, body, status, type) => {
  expect(await post(path, body)).toMatchObject({
    status,
    body: { type: 'error', error: { type } },
  });
});

test('listens on loopback only', () => {
  expect(new URL(api.url).hostname).toBe('127.0.0.1');
});

test('closing ends a stream that is still being read', async () => {
  const slow = await startDemoApi({ perWordMs: 60_000, maxReplyMs: 10_000_000 });
  const client = new Anthropic({ apiKey: 'any', baseURL: slow.url, maxRetries: 0 });
  const stream = client.messages.stream(ASK);
  const failed = stream.finalMessage().then(
    () => 'whole',
    () => 'cut',
  );
  await new Promise((resolve) => stream.once('streamEvent', resolve));
  await slow.close();
  expect(await failed).toBe('cut');
});
