import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxPolicy, SandboxSession } from '../../src/main/engine/ports-sandbox';
import { tempFolder } from '../node/temp-folder';
import { answering, curlObstacle, policyFor, realSandbox } from '../support/sandbox';
import { CA_FILE, type SeeingServer, startSeeingServer } from '../support/seeing-server';

const obstacle = await curlObstacle();
const SECRET = 'sesame-open-0123456789';
const NAME = 'LATHE_TEST_TOKEN';

let server: SeeingServer;
let home: string;
let opened: SandboxSession[] = [];

beforeEach(async () => {
  home = await realpath(await tempFolder());
  server = await startSeeingServer('https');
});

afterEach(async () => {
  await Promise.all(opened.map((session) => session.close()));
  opened = [];
  await server.close();
});

/** The sandbox of a project; its proxy trusts the test's server. Commands have the key in their environment. */
async function sandboxed(trusts = true) {
  const folder = join(home, 'project');
  await mkdir(folder, { recursive: true });
  await mkdir(join(home, 'tmp'), { recursive: true });
  const sandbox = await realSandbox(
    home,
    // Its authority is kept apart from those of other tests.
    { TMPDIR: join(home, 'tmp'), ...(trusts ? { NODE_EXTRA_CA_CERTS: CA_FILE } : {}) },
  );
  const session = sandbox.open({
    project: folder,
    ask: answering(() => ({ allow: false, reason: 'the test says no' })).ask,
  });
  opened.push(session);
  return async (line: string, rest: Partial<SandboxPolicy> = {}) => {
    const policy = policyFor([folder], {
      allowedDomains: ['localhost', '127.0.0.1'],
      withheldVariables: [NAME],
      masked: [{ name: NAME, value: SECRET, hosts: ['localhost'] }],
      tlsTerminate: {},
      ...rest,
    });
    const entered = await session.enter(
      { argv: () => ['/bin/bash', '-c', line], text: line, policy },
      new AbortController().signal,
    );
    if (!entered.ok) throw new Error(entered.error.message);
    const { argv, unmasked, started, ended } = entered.value;
    const [program = '', ...args] = argv;
    const env = { ...process.env, [NAME]: undefined, SHLVL: '1' };
    const out = await new Promise<string>((resolve) => {
      const child = execFile(program, args, { cwd: folder, env }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
      started(child.pid ?? 0);
    });
    return { out, argv, unmasked, violations: await ended() };
  };
}

const curl = (host: string, more = '') =>
  `curl -sS -m 20 --noproxy '' ${more} -H "Authorization: Bearer $${NAME}" https://${host}:${server.port}/`;

describe.skipIf(obstacle !== null)('THREATS 16: a masked key in the sandbox', () => {
  test('is a stand-in inside, and put in on the way to its hosts alone', async () => {
    const inside = await sandboxed();
    const first = await inside(`echo "own $${NAME}"; ${curl('localhost')}`);
    expect(first.out).toMatch(/own fake_value_[a-z0-9_-]+\nseen/);
    expect(first.unmasked).toEqual([]);
    expect(server.seen).toMatchObject([
      { headers: { authorization: `Bearer ${SECRET}` }, body: '' },
    ]);
    await inside(curl('localhost', `-d "token=$${NAME}"`));
    expect(server.seen[1]?.body).toBe(`token=${SECRET}`);
    const other = await inside(curl('127.0.0.1'));
    expect(other.out).toContain('seen');
    expect(server.seen[2]?.headers.authorization).toMatch(/^Bearer fake_value_/);
  });

  test('is nowhere where a command could look', async () => {
    const inside = await sandboxed();
    const looks = [
      'env',
      'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"',
      'ps -eo args 2>&1',
      `grep -rls "${SECRET.slice(0, 6)}""${SECRET.slice(6)}" "$TMPDIR" ${home}/tmp .`,
      'echo looked',
    ];
    for (const rest of [{}, { allowAllUnixSockets: true }]) {
      const { out, argv } = await inside(looks.join('; '), rest);
      expect(out).toContain(`${NAME}=fake_value_`);
      expect(out + argv.join(' ')).not.toContain(SECRET);
      expect(out).toContain('looked');
    }
    // Nor outside, in the processes that keep the sandbox.
    const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
    const files = pids.flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]);
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
  });

  test('is guarded by authorities whose keys no command of any session finds', async () => {
    const look = `grep -rls "PRIVATE"" KEY" ${home}/tmp "$TMPDIR" .; echo looked`;
    const first = await sandboxed();
    expect((await first(curl('localhost'))).out).toContain('seen');
    const second = await sandboxed();
    for (const rest of [{}, { withoutFileWalls: true }, { masked: [], tlsTerminate: null }]) {
      expect((await second(look, rest)).out).toBe('looked\n');
      expect((await first(look, rest)).out).toBe('looked\n');
    }
    await opened[0]?.close();
    expect((await second(look)).out).toBe('looked\n');
    expect((await second(curl('localhost'))).out).toContain('seen');
    // Nor is one left on the disk that a session could find later.
    const kept = await readdir(join(home, 'tmp'), { recursive: true });
    expect(kept.filter((name) => name.endsWith('.key'))).toEqual([]);
  });

  test('is guarded by an authority of the user, whose key no command reads', async () => {
    const inside = await sandboxed();
    const caKeyPath = join(home, 'authority.key');
    await writeFile(caKeyPath, 'PRIVATE');
    const named = { tlsTerminate: { caCertPath: CA_FILE, caKeyPath } };
    expect((await inside(`cat ${caKeyPath}`)).out).toBe('PRIVATE');
    // Named after the first command, which decided: another session may go by it.
    expect((await inside(`cat ${caKeyPath}`, named)).out).not.toContain('PRIVATE');
  });

  test('goes to no host whose certificate does not hold', async () => {
    const inside = await sandboxed(false);
    const { out } = await inside(curl('localhost'));
    expect(out).not.toContain('seen');
    expect(out).not.toContain(SECRET);
    expect(server.seen).toEqual([]);
  });

  test('goes to no host that only the request names', async () => {
    const inside = await sandboxed();
    const { out } = await inside(curl('localhost', '-w "%{http_code}" -H "Host: evil.example"'));
    expect(out).toContain('421');
    expect(server.seen).toEqual([]);
  });

  test('is put in no more once settings say so', async () => {
    const inside = await sandboxed();
    const { out } = await inside(`echo "$${NAME}"`);
    const line = `${NAME}=${out.trim()}; ${curl('localhost')}`;
    await inside(line, { masked: [] });
    expect(server.seen[0]?.headers.authorization).toMatch(/^Bearer fake_value_/);
  });

  test('is withheld where connections stay closed, and where no header can carry it', async () => {
    const inside = await sandboxed();
    const line = `echo "own [$${NAME}]"`;
    for (const value of [`${SECRET}\nmore`, 'schlüssel', ' ', '']) {
      const odd = await inside(line, { masked: [{ name: NAME, value, hosts: ['localhost'] }] });
      expect(odd).toMatchObject({ out: 'own []\n', unmasked: [NAME] });
    }
    const closed = await (await sandboxed())(line, { tlsTerminate: null });
    expect(closed).toMatchObject({ out: 'own []\n', unmasked: [NAME] });
    // It was decided with the first command.
    const later = await sandboxed();
    expect(await later(line, { tlsTerminate: null, masked: [] })).toMatchObject({ unmasked: [] });
    expect(await later(line)).toMatchObject({ out: 'own []\n', unmasked: [NAME] });
  });

  test('is not let go where the authority of the user cannot be used, and nothing runs', async () => {
    const inside = await sandboxed();
    const named = { caCertPath: CA_FILE, caKeyPath: join(home, 'absent.key') };
    await expect(inside('env', { tlsTerminate: named })).rejects.toThrow('absent.key');
  });
});
