import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace } from './lathe';

const TLS = join(import.meta.dirname, '..', '..', 'fixtures', 'tls');
const file = (name: string) => join(TLS, name);
const pem = (name: string) => readFileSync(file(name));

let api: ScriptedApi;
const servers: Server[] = [];

beforeEach(async () => {
  api = await startScriptedApi(() => reply('fine'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await api.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The scripted API behind TLS; `asks` wants a certificate of whoever comes. */
const secured = (asks: boolean): Promise<number> => {
  const options = { key: pem('server.key'), cert: pem('server.pem'), ca: pem('ca.pem') };
  const server = tls.createServer({ ...options, requestCert: asks, rejectUnauthorized: asks });
  server.on('secureConnection', (socket) => {
    const up = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => up.destroy());
    up.on('error', () => socket.destroy());
    socket.pipe(up).pipe(socket);
  });
  return portOf(server);
};

async function ask(port: number, env: Readonly<Record<string, string>>) {
  const workspace = await makeWorkspace();
  const { child, finished } = lathe(workspace, ['-p', 'go', '--trust'], {
    ANTHROPIC_BASE_URL: `https://localhost:${port}`,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
    ...env,
  });
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  await workspace.remove();
  return { code, stdout, stderr };
}

const FINE = { code: 0, stdout: 'fine\n', stderr: '' };

test('an authority of the company is trusted when Node or the system is told of it', async () => {
  const port = await secured(false);
  const [unknown, named, bySystem, notBySystem] = await Promise.all([
    ask(port, {}),
    ask(port, { NODE_EXTRA_CA_CERTS: file('ca.pem') }),
    ask(port, { SSL_CERT_FILE: file('ca.pem') }),
    ask(port, { SSL_CERT_FILE: file('ca.pem'), CLAUDE_CODE_CERT_STORE: 'bundled' }),
  ]);
  for (const refused of [unknown, notBySystem]) {
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/secure connection to localhost:\d+ failed .*NODE_EXTRA_CA/);
  }
  expect(named).toEqual(FINE);
  expect(bySystem).toEqual(FINE);
  expect(api.requests).toHaveLength(2);
});

test('a client certificate is shown, through a proxy too; without one its lack is said', async () => {
  const port = await secured(true);
  const trusting = { NODE_EXTRA_CA_CERTS: file('ca.pem') };
  const own = {
    ...trusting,
    CLAUDE_CODE_CLIENT_CERT: file('client.pem'),
    CLAUDE_CODE_CLIENT_KEY: file('client-locked.key'),
    CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: 'open',
  };
  const tunnels: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      tunnels.push(String(head).split('\r\n')[0] ?? '');
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      const up = connect(port, '127.0.0.1');
      up.on('error', () => socket.destroy());
      socket.pipe(up).pipe(socket);
    });
  });
  const proxyPort = await portOf(proxy);
  const [without, shown, throughProxy] = await Promise.all([
    ask(port, trusting),
    ask(port, own),
    ask(port, { ...own, HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` }),
  ]);
  expect(without.stderr).toMatch(/asks for a client certificate .*CLAUDE_CODE_CLIENT_CERT/);
  expect(shown).toEqual(FINE);
  expect(throughProxy).toEqual(FINE);
  expect(tunnels).toEqual([`CONNECT localhost:${port} HTTP/1.1`]);
});
