import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MaskShape, SandboxPolicy, SandboxSession } from '../../src/main/engine/ports-sandbox';
import { tempFolder } from '../node/temp-folder';
import { answering, curlObstacle, policyFor, realSandbox } from '../support/sandbox';
import { CA_FILE, type SeeingServer, startSeeingServer } from '../support/seeing-server';

const obstacle = await curlObstacle();
const SECRET = 'sesame-open-0123456789';
const NAME = 'LATHE_TEST_TOKEN';

let secure: SeeingServer;
let plain: SeeingServer;
let home: string;
let file: string;
let open: SandboxSession | null = null;

beforeEach(async () => {
  home = await realpath(await tempFolder());
  file = join(home, 'key');
  secure = await startSeeingServer('https');
  plain = await startSeeingServer('http');
});

afterEach(async () => {
  await open?.close();
  open = null;
  await Promise.all([secure.close(), plain.close()]);
});

/** The sandbox of a project; its proxy trusts the test's server. */
async function sandboxed() {
  const folder = join(home, 'project');
  await mkdir(folder, { recursive: true });
  const sandbox = await realSandbox(home, { NODE_EXTRA_CA_CERTS: CA_FILE });
  await open?.close();
  const session = sandbox.open({
    project: folder,
    ask: answering(() => ({ allow: false, reason: 'the test says no' })).ask,
  });
  open = session;
  return async (line: string, rest: Partial<SandboxPolicy> = {}) => {
    const policy = policyFor([folder], {
      ...{ allowedDomains: ['localhost', '127.0.0.1'], tlsTerminate: {}, ...rest },
      denyRead: (rest.maskedFiles ?? []).map(({ path }) => path),
    });
    const entered = await session.enter(
      { argv: () => ['/bin/bash', '-c', line], text: line, policy },
      new AbortController().signal,
    );
    if (!entered.ok) throw new Error(entered.error.message);
    const { argv, unmasked, started, ended } = entered.value;
    const [program = '', ...args] = argv;
    const env = { ...process.env, SHLVL: '1' };
    const out = await new Promise<string>((resolve) => {
      const child = execFile(program, args, { cwd: folder, env }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
      started(child.pid ?? 0);
    });
    await ended();
    return { out, argv: argv.join(' '), unmasked };
  };
}

const ofFile = (shape?: MaskShape): Partial<SandboxPolicy> => ({
  maskedFiles: [{ path: file, hosts: ['localhost'], ...(shape === undefined ? {} : { shape }) }],
});
const ofVariable = (value: string, shape?: MaskShape): Partial<SandboxPolicy> => ({
  masked: [{ name: NAME, value, hosts: ['localhost'], ...(shape === undefined ? {} : { shape }) }],
});
const curl = (key: string, host = 'localhost') =>
  `curl -sS -m 20 --noproxy '' -H "Authorization: ${key}" https://${host}:${secure.port}/`;
const sent = ({ seen }: SeeingServer = secure) => seen.map(({ headers }) => headers.authorization);

const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (payload: object) =>
  [segment({ alg: 'HS256' }), segment(payload), 'c2lnbmVk'].join('.');

describe.skipIf(obstacle !== null)('THREATS 16: a masked file in the sandbox', () => {
  test('is a stand-in inside, and put in on the way to its hosts alone', async () => {
    await writeFile(file, `${SECRET}\n`);
    const inside = await sandboxed();
    const line = `cat ${file}; ${curl(`$(cat ${file})`)}; ${curl(`$(cat ${file})`, '127.0.0.1')}`;
    const { out, argv, unmasked } = await inside(line, ofFile());
    expect(out).toMatch(/^fake_value_\S+\nseen\nseen\n/);
    expect(out + argv).not.toContain(SECRET);
    expect(unmasked).toEqual([]);
    expect(sent()).toEqual([SECRET, expect.stringMatching(/^fake_value_/)]);
    const tries = `echo x > ${file}; rm ${file}; mv ${file} x; grep -rs "${SECRET}" ${home}`;
    expect((await inside(tries.replace('me-', 'm""e-'), ofFile())).out).not.toContain(SECRET);
    expect(await readFile(file, 'utf8')).toBe(`${SECRET}\n`);
    // Once settings mask it no more, its stand-in is worth nothing.
    await inside(curl(out.split('\n')[0] ?? ''), {});
    expect(sent()[2]).toMatch(/^fake_value_/);
  });

  test('keeps what is no key, of each that its pattern finds, elsewhere too', async () => {
    await writeFile(file, `login me\npassword ${SECRET}\n# was ${SECRET}\npassword other-key\n`);
    const inside = await sandboxed();
    const shape = { extract: 'password (\\S+)', duplicates: true };
    const { out } = await inside(`cat ${file}`, ofFile(shape));
    expect(out).toMatch(/^login me\npassword (fake\S+)\n# was \1\npassword fake\S+\n$/);
    await inside(curl(`$(sed -n 's/^password //p' ${file} | head -1)`), ofFile(shape));
    expect(sent()).toEqual([SECRET]);
  });

  test('may hold tokens, whose claims are told or masked', async () => {
    const real = token({ sub: SECRET, team: 'geese' });
    await writeFile(file, `{"token":"${real}"}`);
    const inside = await sandboxed();
    const read = `sed 's/.*:"//; s/".*//' ${file}`;
    const whole = await inside(`cat ${file}; ${curl(`$(${read})`)}`, ofFile({ decode: 'jwt' }));
    expect(whole.out).toMatch(/^\{"token":"[\w-]+\.[\w-]+\.[\w-]+"\}seen/);
    expect(whole.out).not.toContain(real);
    const claims = { decode: 'jwt', claims: ['sub'] } as const;
    const told = await (await sandboxed())(`${read}; ${curl(`$(${read})`)}`, ofFile(claims));
    const payload = Buffer.from(told.out.split('.')[1] ?? '', 'base64url').toString();
    expect(JSON.parse(payload)).toEqual({
      ...{ sub: expect.stringMatching(/^fake_value_/), team: 'geese' },
    });
    expect(sent()).toEqual([real, real]);
  });

  test('is withheld and told where it cannot be masked, and nothing runs where that is wished', async () => {
    const inside = await sandboxed();
    const line = `cat ${file}; echo end`;
    const withheld = async (rest: Partial<SandboxPolicy>, how = inside) => {
      const { out, unmasked } = await how(line, rest);
      expect(out).not.toContain('sesame');
      expect(out).toContain('end');
      expect(unmasked).toEqual([file]);
    };
    // One that is not there has no key.
    expect((await inside(line, ofFile())).unmasked).toEqual([]);
    await writeFile(file, `password ${SECRET}\n`);
    await withheld(ofFile({ extract: 'token (\\S+)' }));
    await withheld(ofFile({ extract: 'password(x)?' }));
    await withheld(ofFile({ decode: 'jwt' }));
    await expect(
      inside(line, ofFile({ extract: 'token (\\S+)', failsWithout: true })),
    ).rejects.toThrow('token');
    await expect(
      inside(line, { ...ofFile({ decode: 'jwt' }), withoutFileWalls: true }),
    ).rejects.toThrow('cannot be masked');
    await withheld({ ...ofFile(), tlsTerminate: null }, await sandboxed());
    const again = await sandboxed();
    await writeFile(file, Buffer.concat([Buffer.from('sesame'), Buffer.from([0xff, 0xfe])]));
    await withheld(ofFile(), again);
    await writeFile(file, ' \n');
    await withheld(ofFile(), again);
    await writeFile(file, `sesame${'x'.repeat(1024 * 1024)}`);
    await withheld(ofFile(), again);
  });
});

describe.skipIf(obstacle !== null)('THREATS 16: a variable that is masked in part', () => {
  test('keeps what is no key', async () => {
    const inside = await sandboxed();
    const rest = ofVariable(`postgres://me:${SECRET}@db/x`, { extract: '://\\w+:([^@]+)@' });
    const { out, argv } = await inside(`echo "$${NAME}"; ${curl(`$${NAME}`)}`, rest);
    expect(out).toMatch(/^postgres:\/\/me:fake_value_[^@]+@db\/x\nseen/);
    expect(out + argv).not.toContain(SECRET);
    expect(sent()).toEqual([`postgres://me:${SECRET}@db/x`]);
  });

  test('may be a token', async () => {
    const real = token({ sub: SECRET, team: 'geese' });
    const inside = await sandboxed();
    const { out } = await inside(
      `echo "$${NAME}"; ${curl(`$${NAME}`)}`,
      ofVariable(real, { decode: 'jwt', claims: ['sub'] }),
    );
    const payload = Buffer.from(out.split('.')[1] ?? '', 'base64url').toString();
    expect(JSON.parse(payload)).toMatchObject({ team: 'geese' });
    expect(payload + out).not.toContain(SECRET);
    expect(sent()).toEqual([real]);
  });

  test('is withheld where nothing matches, and nothing runs where that is wished', async () => {
    const inside = await sandboxed();
    const line = `echo "own [$${NAME}]"`;
    for (const shape of [{ extract: 'x=(.+)' }, { decode: 'jwt' } as const])
      expect(await inside(line, ofVariable(SECRET, shape))).toMatchObject({
        ...{ out: 'own []\n', unmasked: [NAME] },
      });
    const fails = ofVariable(SECRET, { extract: 'x=(.+)', failsWithout: true });
    await expect(inside(line, fails)).rejects.toThrow(NAME);
  });
});

describe.skipIf(obstacle !== null)('THREATS 16: how masked keys leave', () => {
  const openly = () =>
    curl(`$${NAME}`).replace(`https://localhost:${secure.port}`, `http://localhost:${plain.port}`);

  test('unencrypted only where that is allowed since the first command', async () => {
    const closed = await sandboxed();
    await closed(openly(), ofVariable(SECRET));
    await closed(openly(), { ...ofVariable(SECRET), plaintextInject: true });
    const opened = await sandboxed();
    const rest = { ...ofVariable(SECRET), plaintextInject: true, tlsTerminate: null };
    await opened(openly(), rest);
    expect(sent(plain)).toEqual([
      ...[expect.stringMatching(/^fake_value_/), expect.stringMatching(/^fake_value_/), SECRET],
    ]);
    // What goes out in the open cannot be stopped, so it is withheld.
    const later = await opened(`echo "own [$${NAME}]"`, { ...rest, plaintextInject: false });
    expect(later).toMatchObject({ out: 'own []\n', unmasked: [NAME] });
  });

  const KEY_ID = 'AKIDEXAMPLE0123456789';
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest();
  const signed = () =>
    `curl -sS -m 20 --noproxy '' --aws-sigv4 aws:amz:us-east-1:s3 --user "$ID:$KEY" https://localhost:${secure.port}/`;
  const ofAws = (hosts: readonly string[]): Partial<SandboxPolicy> => ({
    masked: [
      { name: 'ID', value: KEY_ID, hosts: ['localhost'] },
      { name: 'KEY', value: SECRET, hosts },
    ],
    awsPairs: [{ accessKeyIdVar: 'ID', secretAccessKeyVar: 'KEY' }],
  });

  test('not at all where they sign requests of AWS, which are signed anew', async () => {
    const inside = await sandboxed();
    const { out } = await inside(`${signed()}; ${curl('$KEY')}`, ofAws([]));
    expect(out).toContain('seen');
    const [first, second] = secure.seen;
    const { authorization = '', host, 'x-amz-date': date = '' } = first?.headers ?? {};
    const sha = String(first?.headers['x-amz-content-sha256'] ?? EMPTY_SHA);
    const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '';
    const lines = names
      .split(';')
      .map((name) => `${name}:${name === 'host' ? host : first?.headers[name]}\n`);
    const canonical = ['GET', '/', '', lines.join(''), names, sha].join('\n');
    const scope = `${String(date).slice(0, 8)}/us-east-1/s3/aws4_request`;
    const hashed = createHash('sha256').update(canonical).digest('hex');
    const toSign = ['AWS4-HMAC-SHA256', date, scope, hashed].join('\n');
    const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
    expect(authorization).toContain(`Credential=${KEY_ID}/${scope}`);
    expect(authorization).toContain(`Signature=${hmac(key, toSign).toString('hex')}`);
    expect(second?.headers.authorization).toMatch(/^fake_value_/);
  });

  test('with no request that cannot be signed anew, unless it is let through as it is', async () => {
    const inside = await sandboxed();
    const address = `https://localhost:${secure.port}/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=$ID%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=00`;
    const line = `curl -sS -m 20 --noproxy '' -w '%{http_code}' "${address}"`;
    expect((await inside(line, ofAws(['localhost']))).out).toContain('403');
    expect(secure.seen).toEqual([]);
    const through = { ...ofAws(['localhost']), sigv4: { presigned: 'passthrough' } } as const;
    expect((await inside(line, through)).out).toContain('200');
  });
});

const EMPTY_SHA = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe.skipIf(obstacle !== null)('THREATS 16: a sandbox without walls between files', () => {
  test('lets files be written everywhere, keeps the network closed and keys masked', async () => {
    await writeFile(file, `${SECRET}\n`);
    const inside = await sandboxed();
    const line = [
      `echo written > ${home}/outside; cat ${file}`,
      `curl -sS -m 5 --noproxy '*' https://localhost:${secure.port}/ -k || echo closed`,
      curl(`$(cat ${file})`),
    ].join('; ');
    const { out } = await inside(line, { ...ofFile(), withoutFileWalls: true });
    expect(await readFile(join(home, 'outside'), 'utf8')).toBe('written\n');
    expect(out).toMatch(/^fake_value_/);
    expect(out).toContain('closed');
    expect(out).not.toContain(SECRET);
    expect(sent()).toEqual([SECRET]);
    const walled = await inside(`echo x > ${home}/other || echo walled`);
    expect(walled.out).toContain('walled');
  });
});
