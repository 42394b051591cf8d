import { describe, expect, it } from 'vitest';
import type { SideQuestion } from '../../../../src/main/engine/model/side-call';
import type { Web, WebAnswer } from '../../../../src/main/engine/ports-documents';
import { createWebFetchTool } from '../../../../src/main/engine/tools/builtin/web-fetch/web-fetch';
import { createWebSearchTool } from '../../../../src/main/engine/tools/builtin/web-search/web-search';
import type { ToolAgent } from '../../../../src/main/engine/tools/environment';
import type { AssistantBlock } from '../../../../src/shared/message';
import { err, ok } from '../../../../src/shared/result';
import { type EnvironmentParts, toolEnvironment } from '../../../support/tool-environment';
import { runTool } from './run-tool';

const webFetch = createWebFetchTool();
const webSearch = createWebSearchTool();

const text = (body: string, mediaType = 'text/plain', status = 200): WebAnswer => ({
  kind: 'page',
  status,
  mediaType,
  charset: '',
  body: new TextEncoder().encode(body),
  truncated: false,
});
const redirect = (location: string): WebAnswer => ({ kind: 'redirect', status: 301, location });

/** A web of the given pages; remembers what was asked of it. */
function webOf(pages: Readonly<Record<string, WebAnswer>>) {
  const asked: { url: string; allowPrivate: boolean }[] = [];
  const web: Web = {
    get: async (url, { allowPrivate }) => {
      asked.push({ url: url.href, allowPrivate });
      const page = pages[url.href];
      return page ? ok(page) : err({ code: 'unreachable', message: `${url.host} is not there.` });
    },
    readable: async (html) => ok({ title: 'T', markdown: html.replace(/<[^>]+>/g, '') }),
  };
  return { web, asked };
}

function asking(answer: readonly AssistantBlock[] | string) {
  const questions: SideQuestion[] = [];
  const ask: ToolAgent['ask'] = async (question) => {
    questions.push(question);
    return typeof answer === 'string' ? err(answer) : ok(answer);
  };
  return { ask, questions };
}

const read = (url: string, env: Partial<EnvironmentParts>) =>
  runTool(webFetch, { url, prompt: 'what?' }, toolEnvironment(env));

describe('WebFetch', () => {
  it('gives a short page as it is, marked as a page', async () => {
    const { web } = webOf({ 'https://x.io/': text('<p>Hello', 'text/html') });
    const result = await read('https://x.io/#part', { web });
    expect(result.text).toBe('<web_page>\nT\nhttps://x.io/\n\nHello\n</web_page>');
  });

  it('asks the public web over https, and leaves private hosts as written', async () => {
    const { web, asked } = webOf({ 'https://x.io/': text('a'), 'http://localhost:1/': text('b') });
    await read('http://x.io', { web });
    await read('http://localhost:1', { web });
    expect(asked).toEqual([
      { url: 'https://x.io/', allowPrivate: false },
      { url: 'http://localhost:1/', allowPrivate: true },
    ]);
  });

  it.each([
    ['http://x.io/a', 'https://x.io/a'],
    ['HTTP://x.io/a', 'https://x.io/a'],
    ['http://localhost:1/', 'http://localhost:1/'],
    ['https://x.io/http:', 'https://x.io/http:'],
  ])('shows %s as it is fetched: %s', async (url, shown) => {
    const subject = await webFetch.subject({ url, prompt: 'what?' }, toolEnvironment());
    expect(subject).toMatchObject({ kind: 'fetch', url: shown });
  });

  it('lets a name lead into the local network when a rule names it', async () => {
    const { web, asked } = webOf({ 'https://wiki.corp.example/': text('a') });
    await read('https://wiki.corp.example/', {
      web,
      mayReachPrivate: (host) => host === 'wiki.corp.example',
    });
    expect(asked).toEqual([{ url: 'https://wiki.corp.example/', allowPrivate: true }]);
  });

  it('THREATS 19: follows redirects within a site only', async () => {
    const { web, asked } = webOf({
      'https://x.io/': redirect('https://www.x.io/a'),
      'https://www.x.io/a': redirect('https://evil.example/?secret'),
    });
    const result = await read('https://x.io/', { web });
    expect(result.ok).toBe(true);
    expect(result.text).toContain('has moved to another host (301): https://evil.example/?secret');
    expect(asked.map(({ url }) => url)).toEqual(['https://x.io/', 'https://www.x.io/a']);
  });

  it.each([
    ['a private address', 'http://169.254.169.254/latest', /has moved to another host/],
    ['another port', 'https://x.io:8443/', /has moved to another host/],
    ['no web address', 'file:///etc/passwd', /refused.*Only http and https/],
    ['a password', 'https://u:p@x.io/', /refused.*user name or password/],
    ['the same page again', 'https://x.io/', /redirects in circles/],
  ])('THREATS 19: does not follow a redirect to %s', async (_, location, expected) => {
    const { web, asked } = webOf({ 'https://x.io/': redirect(location) });
    expect((await read('https://x.io/', { web })).text).toMatch(expected);
    expect(asked.every(({ url }) => url === 'https://x.io/')).toBe(true);
  });

  it.each([
    ['ftp://x.io/a', /Only http and https/],
    ['javascript:alert(1)', /Only http and https/],
    ['x.io/page', /no full web address/],
    ['https://u:p@x.io/', /user name or password/],
  ])('refuses %s before anyone is asked', async (url, expected) => {
    const { web, asked } = webOf({});
    const result = await read(url, { web });
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(expected);
    expect(asked).toEqual([]);
  });

  it.each([
    [text('gone', 'text/html', 404), /x\.io answered 404 for/],
    [text('%PDF', 'application/pdf'), /is not text \(application\/pdf, 1 kB\)/],
    [text('', 'text/html'), /The page has no text/],
    [text('{"a":1}', 'application/vnd.api+json'), /\{"a":1\}/],
  ])('says what came instead of a page (%#)', async (answer, expected) => {
    const { web } = webOf({ 'https://x.io/': answer });
    expect((await read('https://x.io/', { web })).text).toMatch(expected);
  });

  it('reads other encodings, by header or by the page itself', async () => {
    const latin = Uint8Array.from([60, 109, 101, 116, 97, 32, 99, 104, 97, 114, 115, 101, 116, 61]);
    const body = new Uint8Array([...latin, ...Buffer.from('"latin1">'), 0xe9]);
    const page = { ...text('', 'text/html'), body };
    const { web } = webOf({ 'https://x.io/': page });
    expect((await read('https://x.io/', { web })).text).toContain('é');
  });

  it('has the small model read a long page', async () => {
    const { web } = webOf({ 'https://x.io/': text(`start ${'x'.repeat(500_000)}`) });
    const { ask, questions } = asking([{ type: 'text', text: 'The answer.' }]);
    const result = await read('https://x.io/', { web, ask });
    expect(result.text).toContain('The answer.');
    expect(result.text).toContain('extract, written by a small model');
    expect(result.text).toContain('Only the first part of the page was read.');
    expect(questions[0]).toMatchObject({ size: 'small', purpose: 'web page' });
    expect(questions[0]?.text).toContain('What is asked: what?');
    expect(questions[0]?.text.length).toBeLessThan(401_000);
  });

  it('gives the beginning of a long page when nobody can read it', async () => {
    const { web } = webOf({ 'https://x.io/': text(`start ${'x'.repeat(50_000)}`) });
    const result = await read('https://x.io/', { web, ...asking('the API is overloaded') });
    expect(result.ok).toBe(true);
    expect(result.text).toContain('start xxx');
    expect(result.text).toContain('no extract could be made: the API is overloaded');
  });
});

const found = (content: unknown): AssistantBlock => ({
  type: 'other',
  raw: { type: 'web_search_tool_result', tool_use_id: 's', content },
});

describe('WebSearch', () => {
  it('asks the session model with the search tool, and lists each hit once', async () => {
    const { ask, questions } = asking([
      found([
        { type: 'web_search_result', title: 'One', url: 'https://a.b/1', encrypted_content: 'x' },
        { type: 'web_search_result', title: 'One again', url: 'https://a.b/1' },
      ]),
      { type: 'text', text: 'Found ' },
      { type: 'text', text: 'it.' },
    ]);
    const input = { query: 'what', allowed_domains: ['a.b'] };
    const result = await runTool(webSearch, input, toolEnvironment({ ask }));
    expect(result.text).toBe('<web_search>\nFound it.\n\n- One: https://a.b/1\n</web_search>');
    expect(result.view).toMatchObject({ kind: 'search', matches: 1 });
    expect(questions[0]).toMatchObject({
      size: 'session',
      serverTools: [{ name: 'web_search', allowed_domains: ['a.b'], max_uses: 5 }],
    });
  });

  it.each([
    [asking('rate limited'), /could not be searched: rate limited/],
    [asking([found({ error_code: 'max_uses_exceeded' })]), /max uses exceeded/],
    [asking([]), /Nothing was found/],
  ])('says when there is nothing (%#)', async ({ ask }, expected) => {
    const result = await runTool(webSearch, { query: 'what' }, toolEnvironment({ ask }));
    expect(result.text).toMatch(expected);
  });

  it('takes one list of domains', async () => {
    const input = { query: 'what', allowed_domains: ['a'], blocked_domains: ['b'] };
    const result = await runTool(webSearch, input, toolEnvironment(asking([])));
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('not both') });
  });
});
