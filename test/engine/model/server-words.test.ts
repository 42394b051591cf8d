import { afterEach, describe, expect, it } from 'vitest';
import type { ModelError, ModelEvent } from '../../../src/main/engine/model/model-client';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, raw, wire } from '../../support/scripted-api-replies';
import { ask, clientFor, collect } from './fakes';

const servers: ScriptedApi[] = [];
async function serve(script: Script): Promise<ScriptedApi> {
  const api = await startScriptedApi(script);
  servers.push(api);
  return api;
}
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

const failure = (events: readonly ModelEvent[]): ModelError | null => {
  const last = events.at(-1);
  return last?.type === 'failed' ? last.error : null;
};
const failed = async (api: ScriptedApi) =>
  failure(await collect(clientFor(api.url, { maxAttempts: 1 }), ask('x')));

const START = wire({ type: 'message_start', message: { id: 'm', model: 'x', usage: {} } });

describe('what a server says of an answer that is none', () => {
  it.each([
    ['words beside the answer', ['event: failure\ndata: Queue is full\n\n'], '“Queue is full”'],
    ['a word that keeps a line open', ['event: hb\ndata: beat\n\n'], 'but for these words: “beat”'],
    ['nothing', [': wait\n\n'], 'before anything came'],
    [
      'an event that nobody knows',
      [wire({ type: 'exception', message: 'Out of memory' })],
      'said: “Out of memory”',
    ],
    [
      'one in the midst of an answer',
      [START, wire({ type: 'aborted', detail: { reason: 'GPU lost, sk-ant-secret-0000' } })],
      'broke off before it was complete. The server said: “GPU lost, •••”',
    ],
    [
      'pings alone',
      [START, wire({ type: 'ping' })],
      'The answer broke off before it was complete.',
    ],
  ])('is told: %s', async (_, sent, words) => {
    const api = await serve(() => raw(...sent));
    const told = await failed(api);
    expect(told).toMatchObject({ kind: 'truncated', retryable: true });
    expect(told?.message).toContain(words);
  });

  it.each([202, 204, 205])('a status of %i without an answer is asked for once', async (status) => {
    const api = await serve(() => ({ kind: 'error', status, body: '', headers: {} }));
    const told = failure(await collect(clientFor(api.url), ask('x')));
    expect(told).toMatchObject({ kind: 'not_found', status, fix: 'Check the base URL.' });
    expect(told?.message).toContain(`answered nothing (${status})`);
    expect(api.requests).toHaveLength(1);
  });

  it('the words of a status without an answer are told', async () => {
    const body = 'event: failure\ndata: The queue is full\n\n';
    const headers = { 'content-type': 'text/event-stream' };
    const told = await failed(await serve(() => ({ kind: 'error', status: 202, body, headers })));
    expect(told).toMatchObject({ kind: 'truncated', retryable: true });
    expect(told?.message).toContain('“The queue is full”');
  });

  it('a network that wants a sign-in is called so', async () => {
    const told = await failed(await serve(() => error(511, 'x')));
    expect(told).toMatchObject({ kind: 'server', status: 511, retryable: true });
    expect(told?.message).toContain('before you sign in to it');
  });
});
