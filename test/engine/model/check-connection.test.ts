import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, test } from 'vitest';
import { CHECK_TIMEOUT_MS, checkConnection } from '../../../src/main/engine/model/check-connection';
import { memoryClock } from '../../support/memory-clock';

const KEY = 'sk-ant-secret-of-ann';
const LIST = { data: [{ id: 'claude-opus-5-5' }], has_more: false };
const MESSAGE = { type: 'message', content: [{ type: 'text', text: 'Hi' }] };
const problem = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const PAGE = '<!doctype html><title>Router</title>';

/** An answer to a path: status and body. None: the connection hangs. */
type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>;

let server: Server | null = null;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((done) => (server === null ? done(null) : server.close(done)));
  server = null;
});

const say = (res: ServerResponse, status: number, body: unknown) => {
  const page = typeof body === 'string';
  res.writeHead(status, { 'content-type': page ? 'text/html' : 'application/json' });
  res.end(page ? body : JSON.stringify(body));
};

async function serve(answers: Answers) {
  const asked: string[] = [];
  const hung = Promise.withResolvers<void>();
  server = createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    asked.push(`${req.method} ${path}`);
    const answer = answers[path];
    if (answer === undefined) hung.resolve();
    else say(res, ...answer);
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, hung: hung.promise };
}

test('an answer that is packed in an unknown way is told as that, whatever fetch brought it', async () => {
  const fetch = () =>
    Promise.resolve(new Response('packed', { headers: { 'content-encoding': 'br, x-lathe' } }));
  const clock = memoryClock();
  const given = { apiKey: KEY, baseUrl: 'https://api.test', model: 'claude-haiku', clock, fetch };
  const checked = await checkConnection(given, new AbortController().signal);
  expect(checked).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('its content-encoding is "x-lathe"') },
  });
});

const check = (baseUrl: string, clock = memoryClock(), signal = new AbortController().signal) =>
  checkConnection({ apiKey: KEY, baseUrl, model: 'claude-haiku', clock }, signal);

const [MODELS, MESSAGES] = ['/v1/models', '/v1/messages'];

describe('the check of a connection', () => {
  test.each<[string, Answers, number]>([
    ['a list of models', { [MODELS]: [200, LIST] }, 1],
    ['an empty list', { [MODELS]: [200, { data: [] }] }, 1],
    ['no list, but messages', { [MODELS]: [404, 'no'], [MESSAGES]: [200, MESSAGE] }, 2],
    [
      'a page in place of a list, but messages',
      { [MODELS]: [200, PAGE], [MESSAGES]: [200, MESSAGE] },
      2,
    ],
    [
      'a key that may not list, but write',
      { [MODELS]: [403, problem('permission_error', 'no')], [MESSAGES]: [200, MESSAGE] },
      2,
    ],
    [
      'another choice of models',
      { [MODELS]: [404, {}], [MESSAGES]: [404, problem('not_found_error', 'model: claude-haiku')] },
      2,
    ],
    ['a limited rate', { [MODELS]: [429, problem('rate_limit_error', 'slower')] }, 1],
    ['an overload', { [MODELS]: [529, problem('overloaded_error', 'busy')] }, 1],
  ])('is passed by %s', async (_what, answers, requests) => {
    const { url, asked } = await serve(answers);
    expect(await check(url)).toEqual({ ok: true, value: null });
    expect(asked).toHaveLength(requests);
  });

  test.each<[string, Answers, string, RegExp]>([
    [
      'a wrong key',
      { [MODELS]: [401, problem('authentication_error', `invalid x-api-key ${KEY}`)] },
      'unauthorized',
      /refused the key \(401\)/,
    ],
    [
      'a wrong key where there is no list',
      { [MODELS]: [404, {}], [MESSAGES]: [401, problem('authentication_error', 'no')] },
      'unauthorized',
      /refused the key/,
    ],
    [
      'a key that may do nothing',
      { [MODELS]: [403, problem('permission_error', 'not yours')], [MESSAGES]: [404, {}] },
      'unauthorized',
      /403.*not yours/,
    ],
    [
      'an account without credit',
      { [MODELS]: [402, problem('billing_error', 'pay first')] },
      'no_credit',
      /asks for payment\. pay first/,
    ],
    [
      'an account without credit, said as a bad request',
      {
        [MODELS]: [404, {}],
        [MESSAGES]: [400, problem('invalid_request_error', 'Your credit balance is too low')],
      },
      'no_credit',
      /credit balance/,
    ],
    [
      'an error with status 200',
      { [MODELS]: [200, problem('authentication_error', 'no')] },
      'unauthorized',
      /refused the key/,
    ],
    ['a wrong path', { [MODELS]: [404, {}], [MESSAGES]: [404, {}] }, 'not_found', /404/],
    [
      'a web page',
      { [MODELS]: [200, PAGE], [MESSAGES]: [200, PAGE] },
      'not_an_api',
      /not as a Messages API/,
    ],
    [
      'other JSON',
      { [MODELS]: [200, [1]], [MESSAGES]: [200, { hello: 1 }] },
      'not_an_api',
      /not as/,
    ],
    ['a server that fails', { [MODELS]: [500, 'oh'] }, 'refused', /failed \(500\)/],
    [
      'a request sent on elsewhere',
      { [MODELS]: [302, ''], [MESSAGES]: [302, ''] },
      'not_found',
      /sends requests on to another address/,
    ],
  ])('tells of %s', async (_what, answers, code, words) => {
    const { url } = await serve(answers);
    const checked = await check(url);
    expect(checked).toMatchObject({
      ok: false,
      error: { code, message: expect.stringMatching(words) },
    });
    expect(checked.ok ? '' : checked.error.fix).toMatch(/\S/);
    expect(JSON.stringify(checked)).not.toContain(KEY);
  });

  it('tells of a server that is not there', async () => {
    const { url } = await serve({});
    await new Promise((done) => server?.close(done));
    server = null;
    expect(await check(url)).toMatchObject({
      ok: false,
      error: { code: 'unreachable', message: expect.stringContaining('refuses connections') },
    });
  });

  it('tells of a server that takes the connection and never answers', async () => {
    const { url, hung } = await serve({});
    const clock = memoryClock();
    const checked = check(url, clock);
    await hung;
    await clock.advance(CHECK_TIMEOUT_MS);
    expect(await checked).toMatchObject({ ok: false, error: { code: 'no_answer' } });
    expect(clock.sleepers()).toBe(0);
  });

  it('stops when it is no longer wanted', async () => {
    const { url, hung } = await serve({});
    const stop = new AbortController();
    const checked = check(url, memoryClock(), stop.signal);
    await hung;
    stop.abort();
    expect(await checked).toMatchObject({ ok: false });
  });
});
