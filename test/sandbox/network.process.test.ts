import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { answering, sandboxObstacle } from '../support/sandbox';
import { project } from './sandboxed-project';

const obstacle = await sandboxObstacle();

/** Asks for a page by way of the proxy the environment names, as any program does; prints the status. */
const FETCH = `
const proxy = new URL(process.env.HTTP_PROXY);
const auth = 'Basic ' + Buffer.from(decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)).toString('base64');
require('node:http').get({ host: proxy.hostname, port: proxy.port, path: 'http://' + process.argv[1] + '/',
  headers: { host: process.argv[1], 'proxy-authorization': auth } }, (r) => { console.log('status', r.statusCode); r.resume(); })
  .on('error', (e) => console.log('error', e.message));`;
const fetchLine = (host: string) =>
  `'${process.execPath}' -e '${FETCH.replaceAll("'", `'\\''`)}' '${host}'`;

describe.skipIf(obstacle !== null)('THREATS 16: the network of a command in the sandbox', () => {
  test('reaches no host without the proxy, and by it only what is allowed', async () => {
    const { run, network } = await project(
      answering((host) => ({ allow: host === 'yes.invalid', reason: 'the test says no' })),
    );
    const raw = await run('exec 3<>/dev/tcp/1.1.1.1/80 && echo connected');
    expect(raw.out).not.toContain('connected');
    // The name does not exist, so an allowed one fails later than a refused one.
    const refused = await run(fetchLine('no.invalid'));
    expect(refused.out).toContain('status 403');
    expect(refused.violations).toEqual([
      { kind: 'connect', target: 'no.invalid:80', reason: 'the test says no' },
    ]);
    expect((await run(fetchLine('yes.invalid'))).out).toMatch(/status 5\d\d/);
    const listed = { allowedDomains: ['*.listed.invalid'], deniedDomains: ['bad.listed.invalid'] };
    expect((await run(fetchLine('a.listed.invalid'), listed)).out).toMatch(/status 5\d\d/);
    expect((await run(fetchLine('bad.listed.invalid'), listed)).out).toContain('status 403');
    expect((await run(fetchLine('listed.invalid.evil.invalid'), listed)).out).toContain(
      'status 403',
    );
    expect(network.asked.map(({ host }) => host)).toEqual([
      'no.invalid',
      'yes.invalid',
      'listed.invalid.evil.invalid',
    ]);
  });

  test('goes to the proxy of the user where they name one, which judges hosts alone', async () => {
    const seen: string[] = [];
    const own = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(418).end();
    });
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const { port } = own.address() as AddressInfo;
    try {
      const { run, network } = await project();
      const { out } = await run(fetchLine('no.invalid'), { proxyPorts: { http: port } });
      expect(out).toContain('status 418');
      expect(seen).toEqual(['http://no.invalid/']);
      expect(network.asked).toEqual([]);
    } finally {
      own.close();
    }
  });

  test('asks about no host where the list is strict', async () => {
    const { run, network } = await project(answering(() => ({ allow: true, reason: '' })));
    const strict = { strictAllowlist: true, allowedDomains: ['yes.invalid'] };
    expect((await run(fetchLine('no.invalid'), strict)).out).toContain('status 403');
    expect((await run(fetchLine('yes.invalid'), strict)).out).toMatch(/status 5\d\d/);
    expect(network.asked).toEqual([]);
    expect((await run(fetchLine('no.invalid'))).out).toMatch(/status 5\d\d/);
    expect(network.asked).toHaveLength(1);
  });
});
