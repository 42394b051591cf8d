import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openStaticFiles } from '../../../src/main/hosts/common/page-files';
import { createRouter } from '../../../src/main/hosts/handlers/router';
import {
  type Admission,
  cookieName,
  createAdmission,
  type KeptSession,
} from '../../../src/main/hosts/web/admission';
import { serveSockets } from '../../../src/main/hosts/web/sockets';
import { startWebServer, type WebServer } from '../../../src/main/hosts/web/web-server';
import { ok } from '../../../src/shared/result';
import { createFakeWorkbench, type FakeWorkbench } from '../../support/fake-workbench';

let folder: string;
let admission: Admission;
let server: WebServer;
let workbench: FakeWorkbench;
let closeSockets: () => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-web-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Lathe</title>');
  await writeFile(join(folder, 'index-a1b2c3d4.js'), 'export {}');
  admission = createAdmission();
  workbench = createFakeWorkbench();
  const started = await startWebServer({ admission, files: await openStaticFiles(folder) }, 0);
  if (!started.ok) throw new Error(started.error.message);
  server = started.value;
  const info = {
    version: '0',
    host: 'web',
    platform: 'linux',
    home: '/',
    nativeFolderDialog: false,
    demoFirst: false,
    keyStorage: '',
  } as const;
  const pickFolder = async () => ok(null);
  closeSockets = serveSockets(server, workbench, (window) =>
    createRouter({ workbench, info, window, quit() {}, pickFolder }),
  );
});

afterEach(async () => {
  closeSockets();
  await server.close();
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** A raw request: `fetch` would not let us lie about Host and Origin. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port: server.port,
        host: '127.0.0.1',
        method,
        path,
        headers: { host: own(), ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const own = () => `127.0.0.1:${server.port}`;
const ownOrigin = () => `http://${own()}`;
const redeem = (ticket: unknown, headers: Record<string, string> = { origin: ownOrigin() }) =>
  ask('POST', '/session', headers, JSON.stringify({ ticket }));

async function cookie(): Promise<string> {
  const { headers } = await redeem(admission.issueTicket());
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** The status a socket is refused with, or 101. */
function openSocket(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const { origin, ...rest } = headers;
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, {
      headers: rest,
      ...(origin === undefined ? {} : { origin }),
    });
    socket.on('open', () => {
      socket.close();
      resolve(101);
    });
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => {});
  });
}

describe('THREATS 11: the ticket', () => {
  test('works once and gives a cookie that scripts and other sites cannot use', async () => {
    const ticket = admission.issueTicket();
    const first = await redeem(ticket);
    expect(first.status).toBe(204);
    expect(String(first.headers['set-cookie'])).toMatch(
      new RegExp(`^${cookieName(server.port)}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    const again = await redeem(ticket);
    expect(again.status).toBe(401);
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  test('has 256 random bits', () => {
    const tickets = Array.from({ length: 20 }, () => admission.issueTicket());
    expect(new Set(tickets).size).toBe(20);
    for (const ticket of tickets) expect(Buffer.from(ticket, 'base64url')).toHaveLength(32);
  });

  test.each([
    ['unknown', 'x'.repeat(43)],
    ['empty', ''],
    ['a number', 7],
    ['null', null],
    ['very long', 'x'.repeat(100_000)],
  ])('that is %s is refused', async (_, ticket) => {
    expect((await redeem(ticket)).status).toBe(401);
  });

  test('is not honoured for a page of another origin, and stays unspent', async () => {
    const ticket = admission.issueTicket();
    for (const origin of ['http://evil.example', `http://127.0.0.1:${server.port + 1}`, 'null'])
      expect((await redeem(ticket, { origin })).status).toBe(403);
    expect((await redeem(ticket, {})).status).toBe(403);
    expect((await redeem(ticket)).status).toBe(204);
  });

  test('an old one is forgotten when very many are issued', async () => {
    const ticket = admission.issueTicket();
    for (let issued = 0; issued < 32; issued += 1) admission.issueTicket();
    expect((await redeem(ticket)).status).toBe(401);
  });
});

describe('THREATS 11: every route', () => {
  test.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    '0.0.0.0',
  ])('refuses the host "%s"', async (host) => {
    for (const path of ['/', '/index-a1b2c3d4.js', '/session']) {
      const answer = await ask('GET', path, { host });
      expect(answer.status).toBe(403);
      expect(answer.body).not.toContain('Lathe</title>');
    }
  });

  test('refuses a foreign origin and allows no other origin to read anything', async () => {
    const foreign = await ask('GET', '/', { origin: 'http://evil.example' });
    expect(foreign.status).toBe(403);
    const preflight = await ask('OPTIONS', '/session', { origin: ownOrigin() });
    expect(preflight.status).toBe(405);
    for (const { headers } of [foreign, preflight])
      expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('serves the page through localhost and an ssh tunnel on another port', async () => {
    expect((await ask('GET', '/', { host: 'localhost:9' })).status).toBe(200);
    const ticket = admission.issueTicket();
    const tunnelled = { host: 'localhost:9', origin: 'http://localhost:9' };
    expect((await redeem(ticket, tunnelled)).status).toBe(204);
  });

  test('THREATS 9: sends the page with a strict policy and never lets it be stored', async () => {
    const { headers, body } = await ask('GET', '/');
    expect(body).toContain('Lathe</title>');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|https?:|\*/);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  test('keeps files with a hash in their name', async () => {
    expect((await ask('GET', '/index-a1b2c3d4.js')).headers['cache-control']).toContain(
      'immutable',
    );
  });

  test.each(['/../package.json', '/..%2fpackage.json', '/%2e%2e/x', '//etc/passwd', '/nothing'])(
    'knows only the built files, not %s',
    async (path) => {
      expect((await ask('GET', path)).status).toBe(404);
    },
  );
});

describe('THREATS 11: the session', () => {
  test('is answered to the page only with its cookie', async () => {
    expect((await ask('GET', '/session')).status).toBe(401);
    expect((await ask('GET', '/session', { cookie: await cookie() })).status).toBe(204);
    const forged = `${cookieName(server.port)}=${'x'.repeat(43)}`;
    expect((await ask('GET', '/session', { cookie: forged })).status).toBe(401);
  });

  test('of an earlier host is admitted for two weeks, and its secret is written nowhere', () => {
    const day = 24 * 60 * 60 * 1000;
    let kept: readonly KeptSession[] = [];
    const first = createAdmission(
      (sessions) => {
        kept = sessions;
      },
      () => 0,
    );
    const secret = first.redeem(first.issueTicket()) ?? '';
    expect(first.isSession(secret)).toBe(true);
    expect(JSON.stringify(kept)).not.toContain(secret);
    for (const [now, admitted] of [
      [13 * day, true],
      [14 * day, false],
      [-1, false],
    ] as const) {
      const next = createAdmission(undefined, () => now);
      expect(next.isSession(secret)).toBe(false);
      next.restore(kept);
      expect(next.isSession(secret)).toBe(admitted);
    }
  });

  test('survives a reload: the cookie stays good', async () => {
    const kept = await cookie();
    for (let reload = 0; reload < 3; reload += 1)
      expect((await ask('GET', '/session', { cookie: kept })).status).toBe(204);
  });
});

describe.each(['/rpc', '/terminals'])('THREATS 11: the socket %s', (path) => {
  test('opens with the cookie and the own origin', async () => {
    expect(await openSocket(path, { origin: ownOrigin(), cookie: await cookie() })).toBe(101);
  });

  test('is refused without a cookie, with a wrong one, and with a ticket in its place', async () => {
    const ticket = admission.issueTicket();
    for (const value of ['', `${cookieName(server.port)}=${ticket}`, 'lathe=1'])
      expect(await openSocket(path, { origin: ownOrigin(), cookie: value })).toBe(401);
    expect(await openSocket(`${path}?ticket=${ticket}`, { origin: ownOrigin() })).toBe(401);
  });

  test('is refused to another origin, to none, and to a rebound host, cookie or not', async () => {
    const kept = await cookie();
    expect(await openSocket(path, { origin: 'http://evil.example', cookie: kept })).toBe(403);
    expect(await openSocket(path, { origin: 'http://localhost:1', cookie: kept })).toBe(403);
    expect(await openSocket(path, { cookie: kept })).toBe(403);
    const rebound = { origin: 'http://evil.example', host: 'evil.example', cookie: kept };
    expect(await openSocket(path, rebound)).toBe(403);
  });
});

test('no other socket exists', async () => {
  const headers = { origin: ownOrigin(), cookie: await cookie() };
  expect(await openSocket('/other', headers)).toBe(404);
});

test('THREATS 11: it listens on the loopback address only, and says clearly when the port is taken', async () => {
  expect(server.http.address()).toMatchObject({ address: '127.0.0.1' });
  const files = await openStaticFiles(folder);
  const second = await startWebServer({ admission, files }, server.port);
  expect(second).toMatchObject({
    ok: false,
    error: {
      message: `Port ${server.port} is already in use by another program.`,
      fix: expect.stringContaining('--port'),
    },
  });
});
