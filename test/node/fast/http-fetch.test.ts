import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { createHttpFetch } from '../../../src/main/node/fast/http-fetch';
import { useProxy } from '../../../src/main/node/network';
import { soon } from '../../support/soon';

const send = createHttpFetch();
const servers: Server[] = [];
let undoProxy: (() => void) | null = null;

afterEach(() => {
  undoProxy?.();
  undoProxy = null;
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const textOf = async (message: IncomingMessage): Promise<string> =>
  Buffer.concat(await message.toArray()).toString();

const post = (body: string, signal?: AbortSignal) => ({
  method: 'POST',
  headers: new Headers({ 'content-type': 'application/json', 'x-own': 'yes' }),
  body,
  redirect: 'manual' as const,
  ...(signal === undefined ? {} : { signal }),
});

it('sends a body and gives status, headers and text, over one connection', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve(async (req, res) => {
    ports.add(req.socket.remotePort);
    const said = `${req.method} ${req.url} ${req.headers['x-own']} ${await textOf(req)}`;
    res.writeHead(201, { 'x-answer': 'a' }).end(said);
  });
  for (const word of ['été', 'b', 'c']) {
    const answer = await send(`${url}/v1?q=1`, post(word));
    expect([answer.status, answer.ok, answer.headers.get('x-answer')]).toEqual([201, true, 'a']);
    expect(await answer.text()).toBe(`POST /v1?q=1 yes ${word}`);
  }
  expect(ports.size).toBe(1);
});

it('gives the body as it arrives', async () => {
  const second = Promise.withResolvers<void>();
  const url = await serve(async (_req, res) => {
    res.write('one');
    await second.promise;
    res.end('two');
  });
  const reader = (await send(url, post('{}'))).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
  second.resolve();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
  expect((await reader?.read())?.done).toBe(true);
});

it('lets the server wait for a slow reader', async () => {
  const size = 64 * 1024 * 1024;
  let sent = false;
  const url = await serve((_req, res) => {
    res.end(Buffer.alloc(size), () => {
      sent = true;
    });
  });
  const answer = await send(url, post('{}'));
  for (let round = 0; round < 2000 && !sent; round += 1) await setImmediate();
  expect(sent).toBe(false);
  expect((await answer.arrayBuffer()).byteLength).toBe(size);
});

it('unpacks what came packed, and follows a redirect only when asked to', async () => {
  const url = await serve((req, res) => {
    if (req.url === '/old') res.writeHead(307, { location: '/new' }).end();
    else res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`at ${req.url}`));
  });
  expect((await send(`${url}/old`, post('{}'))).status).toBe(307);
  const followed = await send(`${url}/old`, { ...post('{}'), redirect: 'follow' });
  expect(await followed.text()).toBe('at /new');
  expect(await (await send(new URL('/plain', url), post('{}'))).text()).toBe('at /plain');
});

it('tells how a body is packed that it cannot unpack, and of a refusal its status', async () => {
  const url = await serve((req, res) => {
    const status = req.url === '/refused' ? 401 : 200;
    res.writeHead(status, { 'content-encoding': 'gzip, compress' }).end('packed');
  });
  await expect(send(url, post('{}'))).rejects.toMatchObject({
    message: 'its content-encoding is "gzip, compress", which is not known here',
  });
  const refused = await send(`${url}/refused`, post('{}'));
  expect([refused.status, await refused.text()]).toEqual([401, '']);
});

it('unpacks a body that is said to be packed and as it is', async () => {
  const url = await serve((_req, res) =>
    res.writeHead(200, { 'content-encoding': 'identity, gzip ,' }).end(gzipSync('packed')),
  );
  expect(await (await send(url, post('{}'))).text()).toBe('packed');
});

it.each([
  ['with its header', deflateSync('words '.repeat(500))],
  ['without it', deflateRawSync('words '.repeat(500))],
  ['without it, stored', deflateRawSync('words '.repeat(500), { level: 0 })],
])('unpacks what is deflated, %s, however it is cut', async (_, packed) => {
  for (const first of [1, 2, 3, packed.length]) {
    const url = await serve(async (_req, res) => {
      res.writeHead(200, { 'content-encoding': 'deflate' });
      res.write(packed.subarray(0, first));
      await setImmediate();
      res.end(packed.subarray(first));
    });
    expect(await (await send(url, post('{}'))).text()).toBe('words '.repeat(500));
  }
});

it.each([
  ['gzip', Buffer.from('{"error":"sorry"}'), '{"error":"sorry"}'],
  ['deflate', Buffer.from('Sorry, très sorry.\n'), 'Sorry, très sorry.\n'],
  ['br', Buffer.from('{"error":"sorry"}'), '{"error":"sorry"}'],
  ['gzip', gzipSync('{"error":"sorry"}'), '{"error":"sorry"}'],
  ['br', gzipSync('{"error":"sorry"}'), ''],
  ['gzip', Buffer.alloc(0), ''],
])('takes a refusal that is said to be packed (%s) for what it is', async (code, body, words) => {
  const url = await serve((_req, res) =>
    res.writeHead(400, { 'content-encoding': code }).end(body),
  );
  const answer = await send(url, post('{}'));
  expect([answer.status, await answer.text()]).toEqual([400, words]);
});

it('tells of a redirect whose body cannot be unpacked', async () => {
  const url = await serve((req, res) =>
    res
      .writeHead(307, {
        location: '/new',
        'content-encoding': req.url === '/odd' ? 'compress' : 'gzip',
      })
      .end('moved'),
  );
  for (const path of ['/odd', '/plain']) {
    const answer = await send(`${url}${path}`, post('{}'));
    expect([answer.status, answer.headers.get('location')]).toEqual([307, '/new']);
    await answer.text();
  }
});

it.each([
  ['999 Denied', 999],
  ['099 Low', 99],
  ['101 Switching', 101],
])('takes the status %s, which HTTP does not have there, as a refusal', async (line, status) => {
  const url = await serve((req) =>
    req.socket.end(`HTTP/1.1 ${line}\r\ncontent-length: 5\r\n\r\nwords`),
  );
  const answer = await send(url, post('{}'));
  expect([answer.status, answer.ok]).toEqual([status, false]);
});

it.each(['identity', ' Identity ', 'identity, none'])(
  'takes a body as it is that is said to be %j',
  async (code) => {
    const url = await serve((_req, res) =>
      res.writeHead(200, { 'content-encoding': code }).end('plain'),
    );
    expect(await (await send(url, post('{}'))).text()).toBe('plain');
  },
);

it('sends a request again whose kept connection was closed just then, and only then', async () => {
  const seen: string[] = [];
  const url = await serve(async (req, res) => {
    const said = await textOf(req);
    seen.push(said);
    if (said === 'never' || (said === 'raced' && seen.at(-2) !== 'raced')) req.socket.destroy();
    else res.end(`heard ${said}`);
  });
  const ask = async (body: string) => (await send(url, post(body))).text();
  await expect(send(url, post('never'))).rejects.toThrow('fetch failed');
  expect(await ask('first')).toBe('heard first');
  expect(await ask('raced')).toBe('heard raced');
  await expect(send(url, post('never'))).rejects.toThrow('fetch failed');
  expect(seen).toEqual(['never', 'first', 'raced', 'raced', 'never', 'never']);
});

it('reads of a refusal what it needs: neither its length nor its slowness counts', async () => {
  const url = await serve((req, res) => {
    res.writeHead(500).write('sorry, ');
    if (req.url === '/long')
      new Readable({
        read() {
          this.push('x'.repeat(1e5));
        },
      }).pipe(res);
    if (req.url === '/whole') res.end('really');
  });
  expect(await (await send(`${url}/whole`, post('{}'))).text()).toBe('sorry, really');
  expect(await (await send(`${url}/long`, post('{}'))).text()).toHaveLength(64 * 1024);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const slow = send(`${url}/slow`, post('{}'));
  while (vi.getTimerCount() === 0) await setImmediate();
  for (let round = 0; round < 20; round += 1) await setImmediate();
  await vi.advanceTimersByTimeAsync(5_000);
  const answer = await slow;
  vi.useRealTimers();
  expect([answer.status, await answer.text()]).toEqual([500, 'sorry, ']);
});

it('knows answers without a body', async () => {
  const url = await serve((_req, res) => res.writeHead(204).end());
  const answer = await send(url, post('{}'));
  expect([answer.status, answer.body]).toEqual([204, null]);
});

it('stops before the answer, within it, and at once when it is too late to begin', async () => {
  const arrived = Promise.withResolvers<void>();
  const url = await serve((req, res) => {
    if (req.url === '/answer') res.write('half');
    else arrived.resolve();
  });
  const [early, late] = [new AbortController(), new AbortController()];
  const waiting = send(url, post('{}', early.signal));
  await arrived.promise;
  early.abort();
  await expect(waiting).rejects.toBe(early.signal.reason);
  await expect(send(url, post('{}', early.signal))).rejects.toBe(early.signal.reason);

  const reader = (await send(`${url}/answer`, post('{}', late.signal))).body?.getReader();
  await reader?.read();
  late.abort();
  await expect(reader?.read()).rejects.toBe(late.signal.reason);
});

it('fails as fetch does: refused, cut off before and within the answer', async () => {
  const url = await serve((req, res) => {
    if (req.url !== '/answer') return req.socket.destroy();
    res.writeHead(200, { 'content-length': 100 });
    res.write('half', () => req.socket.destroy());
  });
  const answer = await send(`${url}/answer`, post('{}'));
  await expect(answer.text()).rejects.toThrow('terminated');
  await expect(send(`${url}/cut`, post('{}'))).rejects.toThrow('fetch failed');
  const [server] = servers.splice(0);
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  await expect(send(url, post('{}'))).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED' },
  });
});

it('goes through the proxy of the environment', async () => {
  const asked: string[] = [];
  const url = await serve((_req, res) => res.end('direct'));
  servers[0]?.on('connect', (req, socket) => {
    asked.push(`CONNECT ${req.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  undoProxy = useProxy({ https_proxy: url });
  await expect(send('https://api.lathe.invalid/v1/messages', post('{}'))).rejects.toThrow();
  expect(asked).toEqual(['CONNECT api.lathe.invalid:443']);
  expect(await (await send(url, post('{}'))).text()).toBe('direct');
});

it('goes past every proxy when it is made for what runs here', async () => {
  const url = await serve((req, res) => res.end(`asked for ${req.url}`));
  undoProxy = useProxy({ http_proxy: url });
  expect(await (await send(`${url}/a`, post('{}'))).text()).toBe(`asked for ${url}/a`);
  const direct = createHttpFetch({ direct: true });
  expect(await (await direct(`${url}/a`, post('{}'))).text()).toBe('asked for /a');
});

it('keeps the connection of an answer that nobody read to its end, unless that is far away', async () => {
  const ports: (number | undefined)[] = [];
  const url = await serve((req, res) => {
    ports.push(req.socket.remotePort);
    res.write('what was wanted');
    if (req.url === '/long') res.write('x'.repeat(1024 * 1024));
    else setImmediate().then(() => res.end('and the end of it'));
  });
  const begin = async (path: string) => {
    const answer = await send(`${url}${path}`, post('{}'));
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  };
  await begin('/short');
  await soon(async () => {
    await begin('/short');
    expect(ports.at(-1)).toBe(ports.at(-2));
  });
  await begin('/long');
  await begin('/short');
  expect(ports.at(-1)).not.toBe(ports.at(-2));
});

it('fails where the server asks for another protocol', async () => {
  const url = await serve((req) => {
    req.socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
  });
  await expect(send(url, post('a'))).rejects.toMatchObject({
    cause: { message: 'it asked for another protocol' },
  });
});
