import { afterEach, expect, it } from 'vitest';
import type { ModelClientOptions } from '../../../src/main/engine/model/create-client';
import { withTrace } from '../../../src/main/engine/model/trace';
import { memoryClock } from '../../support/memory-clock';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, hang, reply, truncated } from '../../support/scripted-api-replies';
import { ask, clientFor, collect, fakeClock } from './fakes';

const KEY = 'sk-ant-test-key-000000';
const OWN = 'hunter2-hunter2';

let api: ScriptedApi;
afterEach(() => api.close());

/** A log in memory, and a traced client against a script. */
async function traced(script: Script, options: Partial<ModelClientOptions> = {}) {
  api = await startScriptedApi(script);
  const records: Record<string, unknown>[] = [];
  const texts: string[] = [];
  let count = 0;
  const clock = fakeClock();
  const client = withTrace(clientFor(api.url, { clock, ...options }), {
    clock,
    secrets: [KEY, OWN],
    nextNumber: () => ++count,
    onSent: () => {},
    log: {
      record: (what, facts) => records.push({ what, ...facts }),
      keep: (text) => `text-${texts.push(text)}`,
    },
  });
  const names = () => records.map(({ what }) => what);
  return { client, records, texts, names, clock };
}

it('records the request, its attempt with the body as sent, the answer and the end', async () => {
  const t = await traced([
    reply('fine', {
      usage: { input_tokens: 3, output_tokens: 5 },
      headers: { 'request-id': 'req_x' },
    }),
  ]);
  await collect(t.client, ask('hello'));
  expect(t.records).toMatchObject([
    {
      what: 'request',
      request: 1,
      model: 'claude-opus-5-5',
      messages: 1,
      tools: 0,
      maxTokens: 1000,
    },
    { what: 'sent', attempt: 1, model: 'claude-opus-5-5', stream: true, body: 'text-1' },
    {
      what: 'answer',
      attempt: 1,
      status: 200,
      requestId: 'req_x',
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 5 },
      ttftMs: 0,
    },
    { what: 'end', result: 'answered', attempts: 1 },
  ]);
  expect(JSON.parse(t.texts[0] ?? '')).toEqual(api.requests[0]?.body);
  await collect(t.client, ask('again'));
  expect(t.records.at(-1)).toMatchObject({ request: 2 });
});

it('records every attempt, the waits between them, and how it ended', async () => {
  const t = await traced([error(529, 'busy', { 'request-id': 'req_1' }), error(401, 'no')]);
  await collect(t.client, ask('x'));
  expect(t.records.slice(1)).toMatchObject([
    { what: 'sent', attempt: 1 },
    { what: 'failure', attempt: 1, status: 529, kind: 'overloaded', requestId: 'req_1' },
    { what: 'retry', attempt: 2, maxAttempts: 10, delayMs: 500, status: 529 },
    { what: 'sent', attempt: 2 },
    { what: 'failure', attempt: 2, status: 401, kind: 'auth' },
    { what: 'end', result: 'failed', kind: 'auth', attempts: 2, durationMs: 500 },
  ]);
});

it('records a broken stream, and the model that takes over', async () => {
  const t = await traced(
    (request, n) =>
      n === 0
        ? truncated(reply('cut in the middle of it'), 4)
        : request.body.stream
          ? reply('b')
          : error(529),
    { fallbackModels: ['claude-sonnet-5-5'] },
  );
  await collect(t.client, ask('x'));
  expect(t.names()).toEqual([
    'request',
    'sent',
    'failure',
    'voided',
    'notice',
    'sent',
    'failure',
    'retry',
    'sent',
    'answer',
    'end',
  ]);
});

it('records silences, and an attempt that was ended for one', async () => {
  const clock = memoryClock();
  const t = await traced([hang(), reply('fine')], { clock, idleMs: 30_000 });
  const events = collect(t.client, ask('x'));
  while (api.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(15_000);
  await clock.advance(15_000);
  await events;
  expect(t.names()).toEqual([
    'request',
    'sent',
    'stalled',
    'failure',
    'notice',
    'sent',
    'answer',
    'end',
  ]);
  expect(t.records.find(({ what }) => what === 'stalled')).toMatchObject({ silentMs: 15_000 });
});

it('records that a request was stopped', async () => {
  const t = await traced([hang()]);
  const abort = new AbortController();
  const events = collect(t.client, ask('x'), abort.signal);
  while (api.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await events;
  expect(t.records.at(-1)).toMatchObject({ what: 'end', result: 'aborted', attempts: 1 });
});

it('THREATS 13: holds no secret, however it stands in a request or a refusal', async () => {
  const t = await traced(() => error(400, `bad key ${OWN} ${KEY}`));
  const words = `${KEY} ${OWN} ${Buffer.from(OWN).toString('base64')} ghp_${'a'.repeat(36)}`;
  await collect(t.client, ask(words, { system: [{ type: 'text', text: words }] }));
  const all = JSON.stringify([t.records, t.texts]);
  expect(t.texts).toHaveLength(1);
  expect(all).toContain('{{secret}}');
  for (const secret of words.split(' ')) expect(all).not.toContain(secret);
});

it('is no part of what is sent, or of what comes out', async () => {
  const t = await traced(() => reply('fine'));
  const plain = clientFor(api.url);
  const [one, other] = [await collect(t.client, ask('x')), await collect(plain, ask('x'))];
  expect(api.requests[0]?.body).toEqual(api.requests[1]?.body);
  expect(one.map(({ type }) => type)).toEqual(other.map(({ type }) => type));
});
