import { Anthropic } from '@anthropic-ai/sdk';
import { expect, it } from 'vitest';
import { SteadyAnthropic } from '../../../src/main/engine/model/providers/steady-anthropic';

const setup = { apiKey: 'key', baseURL: 'http://127.0.0.1:1/base' };
const json = { 'content-type': 'application/json' };
const first = { method: 'post', path: '/v1/messages', body: '{"n":1}', headers: json } as const;

/** What would leave, as plain data. */
async function built(client: Anthropic, options: Parameters<Anthropic['buildRequest']>[0]) {
  const { req, url, timeout } = await client.buildRequest(options);
  const headers = Object.fromEntries(new Headers(req.headers));
  return { url, timeout, method: req.method, body: req.body, signal: req.signal, headers };
}

it('requests are those of the SDK, whatever came before them', async () => {
  const [steady, plain] = [new SteadyAnthropic(setup), new Anthropic(setup)];
  const { signal } = new AbortController();
  const requests = [
    first,
    { ...first, body: '{"n":2}', signal },
    { ...first, body: '' },
    { ...first, timeout: 5_000 },
    { ...first, headers: { ...json, 'x-more': 'yes' } },
    { ...first, headers: new Headers({ ...json, 'x-more': 'some' }) },
    { ...first, headers: new Headers({ ...json, 'x-more': 'others' }) },
    { ...first, path: '/v1/messages/count_tokens' },
    { ...first, query: { beta: 'true' } },
    { method: 'get', path: '/v1/models' },
    { ...first, body: { n: 3 } },
    first,
  ] as const;
  for (const request of requests) {
    expect(await built(steady, request)).toEqual(await built(plain, request));
  }
});

it('the headers are made once for requests that differ in their bodies and signals', async () => {
  const steady = new SteadyAnthropic(setup);
  const headersOf = async (options: Parameters<Anthropic['buildRequest']>[0]) =>
    (await steady.buildRequest(options)).req.headers;
  const made = await headersOf(first);
  const { signal } = new AbortController();
  expect(await headersOf({ ...first, body: '{"n":2}', signal })).toBe(made);
  expect(await headersOf({ ...first, timeout: 5_000 })).not.toBe(made);
});
