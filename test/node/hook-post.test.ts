import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { isPrivateAddress, isPrivateHost } from '../../src/main/engine/permissions/web-request';
import { createHookPost } from '../../src/main/node/hook-post';

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

async function serve(answer: RequestListener): Promise<number> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
}
const post = createHookPost({ isPrivateAddress, isPrivateHost, proxied: () => false });
const never = new AbortController().signal;

test.each([
  [200, '{"continue":true}', { kind: 'exited', exitCode: 0, stdout: '{"continue":true}' }],
  [204, '', { kind: 'exited', stdout: '' }],
  [200, ' \n', { kind: 'exited', stdout: '' }],
  [200, 'hello', { kind: 'failed', message: expect.stringContaining('JSON object') }],
  [200, '[1]', { kind: 'failed', message: expect.stringContaining('JSON object') }],
  [
    200,
    `{${'x'.repeat(1024 * 1024)}}`,
    { kind: 'failed', message: 'the answer is longer than 1 MiB' },
  ],
  [
    404,
    '{"decision":"block"}',
    { kind: 'failed', message: 'the address answered with status 404' },
  ],
])('an answer with status %i and %.20j is understood', async (status, body, end) => {
  const port = await serve((_, response) => response.writeHead(status).end(body));
  expect(await post({ run: `http://localhost:${port}/` }, '{}', {}, never)).toMatchObject(end);
});

test('a public name that leads to this machine is not connected to; a local one is what was meant', async () => {
  const seen: string[] = [];
  const port = await serve((request, response) => {
    seen.push(request.headers.host ?? '');
    response.end('{}');
  });
  const run = `http://localhost:${port}/`;
  const careful = createHookPost({
    isPrivateAddress,
    isPrivateHost: () => false,
    proxied: () => false,
  });
  expect(await careful({ run }, '{}', {}, never)).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/^the address could not be reached: it leads to .*, a private/),
  });
  expect(seen).toEqual([]);
  expect(await post({ run }, '{}', {}, never)).toMatchObject({ kind: 'exited' });
});

test('a variable that is no header is an error that does not tell it', async () => {
  const port = await serve((_, response) => response.end('{}'));
  const hook = {
    run: `http://localhost:${port}/`,
    headers: { Authorization: '$SECRET' },
    allowedEnvVars: ['SECRET'],
  };
  const end = await post(hook, '{}', { SECRET: 'hush\r\nX-Other: 1' }, never);
  expect(end.kind).toBe('failed');
  expect(JSON.stringify(end)).not.toContain('hush');
});

test('an address that never answers is left when the signal says so', async () => {
  const stop = new AbortController();
  const port = await serve(() => stop.abort());
  expect(await post({ run: `http://localhost:${port}/` }, '{}', {}, stop.signal)).toMatchObject({
    kind: 'cancelled',
  });
});
