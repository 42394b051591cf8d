import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { afterEach, describe, expect, it } from 'vitest';
import { isPrivateAddress } from '../../src/main/engine/permissions/web-request';
import type { Web } from '../../src/main/engine/ports-documents';
import { createDocumentThreads } from '../../src/main/node/document-thread';
import { createHttpGet } from '../../src/main/node/web/http-get';
import { buildDocumentReader } from '../support/build-entry';
import { tempFolder } from './temp-folder';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return new URL(`http://127.0.0.1:${address.port}/`);
}

const get = createHttpGet({ isPrivateAddress, userAgent: 'test', proxied: () => false });
const limits = { allowPrivate: true, maxBytes: 100_000, timeoutMs: 20_000 };
const never = new AbortController().signal;

async function page(url: URL, options: Partial<Parameters<Web['get']>[1]> = {}) {
  const got = await get(url, { ...limits, ...options }, never);
  if (!got.ok || got.value.kind !== 'page') throw new Error(JSON.stringify(got));
  return { ...got.value, text: new TextDecoder().decode(got.value.body) };
}

describe('one GET', () => {
  it.each([
    ['identity', (text: string) => Buffer.from(text)],
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('gives status, type and body (%s)', async (encoding, encode) => {
    const url = await serve((_, response) => {
      response.writeHead(203, {
        'content-type': 'Text/HTML; charset="UTF-8"',
        'content-encoding': encoding,
      });
      response.end(encode('héllo'));
    });
    expect(await page(url)).toMatchObject({
      status: 203,
      mediaType: 'text/html',
      charset: 'utf-8',
      text: 'héllo',
      truncated: false,
    });
  });

  it('THREATS 19: stops at the size limit, counted after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000, 97));
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const { body, truncated } = await page(url, { maxBytes: 1000 });
    expect({ length: body.length, truncated }).toEqual({ length: 1000, truncated: true });
  });

  it('reports a redirect and does not follow it', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/next?a=1' }).end();
    });
    expect(await get(url, limits, never)).toEqual({
      ok: true,
      value: { kind: 'redirect', status: 302, location: new URL('/next?a=1', url).href },
    });
    expect(requests).toBe(1);
  });

  it('THREATS 19: connects to no private address that a name leads to', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.end('secret');
    });
    url.hostname = 'localhost';
    const got = await get(url, { ...limits, allowPrivate: false }, never);
    expect(got).toMatchObject({ ok: false, error: { code: 'private_address' } });
    expect(requests).toBe(0);
  });

  it('gives up in time, and at once when it is stopped', async () => {
    const url = await serve(() => {});
    expect(await get(url, { ...limits, timeoutMs: 5 }, never)).toMatchObject({
      ok: false,
      error: { code: 'timeout' },
    });
    const stop = new AbortController();
    const going = get(url, limits, stop.signal);
    stop.abort();
    expect(await going).toMatchObject({ ok: false, error: { code: 'aborted' } });
    expect(await get(url, limits, stop.signal)).toMatchObject({
      ok: false,
      error: { code: 'aborted' },
    });
  });

  it('says when nobody is there, and when an answer breaks off', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    expect(await get(url, limits, never)).toMatchObject({ ok: false, error: { code: 'other' } });
    for (const server of servers.splice(0)) server.close().closeAllConnections();
    expect(await get(url, limits, never)).toMatchObject({
      ok: false,
      error: { code: 'unreachable' },
    });
  });
});

const ARTICLE = `<!doctype html><title> A  guide </title><body>
<nav><a href="/a">Home</a></nav><script>alert(1)</script>
<article><h1>Guide</h1>${'<p>Words that make a paragraph long enough to count as an article, really.</p>'.repeat(5)}
<pre><code>npm install x</code></pre><p>See <a href="more.html">more</a>.</p>
<img src="https://evil.example/pixel" alt="A chart"></article></body>`;

describe('readable pages', () => {
  const url = new URL('https://x.io/docs/guide');

  it('gives the article as Markdown, with full links and no image addresses', async () => {
    const readable = createDocumentThreads(await buildDocumentReader()).readable;
    const read = await readable(ARTICLE, url, never);
    if (!read.ok) throw new Error(read.error);
    expect(read.value.title).toBe('A guide');
    expect(read.value.markdown).toContain('Words that make');
    expect(read.value.markdown).toContain('```\nnpm install x\n```');
    expect(read.value.markdown).toContain('[more](https://x.io/docs/more.html)');
    expect(read.value.markdown).toContain('[image: A chart]');
    expect(read.value.markdown).not.toMatch(/alert|evil\.example|Home/);
  });

  it('gives all text of a page that is no article', async () => {
    const readable = createDocumentThreads(await buildDocumentReader()).readable;
    const read = await readable('<ul><li>one<li>two</ul>', url, never);
    expect(read).toMatchObject({ ok: true, value: { title: '' } });
    expect(read.ok && read.value.markdown).toMatch(/one[\s\S]*two/);
  });

  it('ends a reader that does not come to an end', async () => {
    const script = join(await tempFolder(), 'loop.mjs');
    await writeFile(script, 'for (;;);');
    const stop = new AbortController();
    const reading = createDocumentThreads(script).readable('<p>', url, stop.signal);
    stop.abort();
    expect(await reading).toEqual({ ok: false, error: 'The page cannot be read: it was stopped' });
  });

  it('says when a reader breaks', async () => {
    const script = join(await tempFolder(), 'broken.mjs');
    await writeFile(script, 'throw new Error("no such thing");');
    const read = await createDocumentThreads(script).readable('<p>', url, never);
    expect(read).toEqual({ ok: false, error: 'The page cannot be read: no such thing' });
  });
});

describe('PDF files', () => {
  it('are counted and cut in a thread; what is none is said to be damaged', async () => {
    const { pdfs } = createDocumentThreads(await buildDocumentReader());
    const document = await PDFDocument.create();
    for (let n = 0; n < 3; n += 1) document.addPage([100, 100]);
    const bytes = await document.save();
    expect(await pdfs.count(bytes, never)).toEqual({ ok: true, value: 3 });
    const cut = await pdfs.cut(bytes, 2, 9, never);
    expect(cut).toMatchObject({ ok: true, value: { first: 2, last: 3, total: 3 } });
    const broken = await pdfs.count(new TextEncoder().encode('not a PDF'), never);
    expect(broken).toMatchObject({ ok: false, error: { code: 'broken' } });
  });

  it('hold nothing up when reading them does not come to an end', async () => {
    const script = join(await tempFolder(), 'loop.mjs');
    await writeFile(script, 'for (;;);');
    const stop = new AbortController();
    const counting = createDocumentThreads(script).pdfs.count(new Uint8Array(1), stop.signal);
    stop.abort();
    expect(await counting).toMatchObject({ ok: false, error: { code: 'broken' } });
  });
});
