import { once } from 'node:events';
import { createServer } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  certificateStores,
  findProxy,
  proxyIn,
  proxySettings,
  useCertificates,
  useProxy,
} from '../../src/main/node/network';

const TLS = join(import.meta.dirname, '..', 'fixtures', 'tls');
const { options } = https.globalAgent;
const before = { ...options };

afterEach(() => {
  for (const name of ['cert', 'key', 'passphrase'] as const) delete options[name];
  expect(options).toEqual(before);
});

it.each([
  [undefined, ['bundled', 'system']],
  ['', ['bundled', 'system']],
  ['bundled', ['bundled']],
  ['System', ['system']],
  ['bundled, system', ['bundled', 'system']],
  ['keychain', ['bundled', 'system']],
])('CLAUDE_CODE_CERT_STORE=%s stands for %j', (value, stores) => {
  expect([...certificateStores({ CLAUDE_CODE_CERT_STORE: value })]).toEqual(stores);
});

describe('a client certificate', () => {
  const env = (cert: string, key: string, passphrase = '') => ({
    CLAUDE_CODE_CLIENT_CERT: cert && join(TLS, cert),
    CLAUDE_CODE_CLIENT_KEY: key && join(TLS, key),
    CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: passphrase,
  });

  it.each([
    ['half of it', env('client.pem', ''), /only work together/],
    ['a file that is not there', env('client.pem', 'no.key'), /no such file.*Check CLAUDE_CODE_/],
    ['a locked key', env('client.pem', 'client-locked.key', 'wrong'), /cannot be used \(/],
    [
      'a file of certificates that is not there',
      { NODE_EXTRA_CA_CERTS: join(TLS, 'no.pem') },
      /no such file/,
    ],
    [
      'a file without certificates',
      { NODE_EXTRA_CA_CERTS: join(TLS, 'server.key') },
      /holds no certificate/,
    ],
    ['a key of another', env('client.pem', 'server.key'), /cannot be used \(/],
  ])('says what is wrong with %s, and uses nothing of it', (_, given, problem) => {
    expect(useCertificates(given)).toMatch(problem);
    expect(options).toEqual(before);
  });

  it('is shown from then on, none when none is named', () => {
    expect(useCertificates({})).toBeNull();
    expect(options.cert).toBeUndefined();
    expect(useCertificates(env('client.pem', 'client-locked.key', 'open'))).toBeNull();
    expect(options).toMatchObject({ passphrase: 'open' });
    expect(String(options.cert)).toContain('BEGIN CERTIFICATE');
  });
});

const DIRECT = 'localhost,127.0.0.1,::1';

describe('the proxy', () => {
  it.each([
    [{}, null],
    [{ HTTPS_PROXY: 'socks5://p:1' }, null],
    [{ https_proxy: 'http://p:1', no_proxy: '*' }, null],
    [
      { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' },
      { https_proxy: 'http://a:1', no_proxy: DIRECT },
    ],
    [
      { HTTP_PROXY: 'http://p:1' },
      { http_proxy: 'http://p:1', https_proxy: 'http://p:1', no_proxy: DIRECT },
    ],
    [
      { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.example .b.example,localhost' },
      { https_proxy: 'http://p:1', no_proxy: 'a.example,.b.example,localhost,127.0.0.1,::1' },
    ],
    // One on this machine reaches what runs here too.
    [
      { HTTP_PROXY: 'http://127.0.0.1:8080', NO_PROXY: 'a.example' },
      {
        http_proxy: 'http://127.0.0.1:8080',
        https_proxy: 'http://127.0.0.1:8080',
        no_proxy: 'a.example',
      },
    ],
    [
      { HTTP_PROXY: 'http://[::1]:1', HTTPS_PROXY: 'http://p:1' },
      { http_proxy: 'http://[::1]:1', https_proxy: 'http://p:1', no_proxy: DIRECT },
    ],
  ])('of %j', (env, settings) => {
    expect(proxySettings(env)).toEqual(settings);
  });
});

describe('the proxy of the system', () => {
  it.each<[string, string | null]>([
    ['DIRECT', null],
    ['', null],
    ['PROXY p.example:3128', 'http://p.example:3128'],
    ['proxy p.example:3128; DIRECT', 'http://p.example:3128'],
    ['HTTPS p.example:443;PROXY q:1', 'https://p.example:443'],
    ['SOCKS5 s:1080; PROXY p:1', 'http://p:1'],
    ['SOCKS s:1080; DIRECT', null],
    ['SOCKS5 s:1080', 'unusable'],
    ['QUIC q:443', 'unusable'],
  ])('in the answer %j', (answer, proxy) => {
    expect(proxyIn(answer)).toBe(proxy);
  });

  const proxyFor = async (env: Record<string, string>, answer: string | Error) => {
    const asked: string[] = [];
    const { env: found, problem } = await findProxy(env, async (url) => {
      asked.push(url);
      if (answer instanceof Error) throw answer;
      return answer;
    });
    return { asked, proxy: found['https_proxy'], problem: problem?.message };
  };

  it('counts when no variable names one, and is asked for where the model is', async () => {
    const api = 'https://api.anthropic.com';
    expect(await proxyFor({}, 'PROXY p:1')).toEqual({ asked: [api], proxy: 'http://p:1' });
    expect(await proxyFor({ ANTHROPIC_BASE_URL: 'https://m.example' }, 'DIRECT')).toEqual({
      asked: ['https://m.example'],
    });
    for (const env of [{ HTTPS_PROXY: 'http://own:1' }, { all_proxy: 'socks5://s:1' }])
      expect((await proxyFor(env, 'PROXY p:1')).asked).toEqual([]);
    expect(await findProxy({}, undefined)).toEqual({ env: {}, problem: null });
  });

  it('is told of when it cannot be used or found out', async () => {
    expect((await proxyFor({}, 'SOCKS5 s:1')).problem).toContain('SOCKS5 s:1');
    expect((await proxyFor({}, new Error('gone'))).problem).toContain('HTTPS_PROXY');
    vi.useFakeTimers();
    const never = findProxy({}, () => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(5000);
    expect((await never).problem?.message).toContain('HTTPS_PROXY');
    vi.useRealTimers();
  });
});

let undo: (() => void) | null = null;
afterEach(() => {
  undo?.();
  undo = null;
});

describe('a request', () => {
  it('goes through the proxy when it is one for it', async () => {
    const seen: string[] = [];
    const proxy = createServer((req, res) => {
      seen.push(`${req.method} ${req.url}`);
      res.end('from the proxy');
    });
    proxy.on('connect', (req, socket) => {
      seen.push(`CONNECT ${req.url}`);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    undo = useProxy({ https_proxy: url });
    await fetch('https://api.lathe.invalid/v1/messages').catch(() => null);
    expect(seen).toEqual(['CONNECT api.lathe.invalid:443']);
    expect(await (await fetch(`${url}/direct`)).text()).toBe('from the proxy');
    expect(seen).toEqual(['CONNECT api.lathe.invalid:443', 'GET /direct']);
    undo?.();
    undo = null;
    await fetch('https://api.lathe.invalid/').catch(() => null);
    expect(seen).toHaveLength(2);
    proxy.closeAllConnections();
    proxy.close();
  });
});
