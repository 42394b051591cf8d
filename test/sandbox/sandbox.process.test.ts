import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type {
  SandboxPolicy,
  SandboxSession,
  SandboxViolation,
} from '../../src/main/engine/ports-sandbox';
import { tempFolder } from '../node/temp-folder';
import { answering, policyFor, realSandbox, sandboxObstacle } from '../support/sandbox';
import { soon } from '../support/soon';

const obstacle = await sandboxObstacle();

let open: SandboxSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly violations: readonly SandboxViolation[];
}

const run = promisify(execFile);

/** A project with a sandbox; `run` runs a shell line inside and to its end. */
async function project(network = answering(() => ({ allow: false, reason: 'the test says no' }))) {
  const home = await realpath(await tempFolder());
  const folder = join(home, 'project');
  await mkdir(folder);
  const sandbox = await realSandbox(home);
  const session = sandbox.open({ project: folder, ask: network.ask });
  open = session;
  const run = async (line: string, rest: Partial<SandboxPolicy> = {}): Promise<Ended> => {
    const entered = await session.enter(
      { argv: () => ['/bin/bash', '-c', line], text: line, policy: policyFor([folder], rest) },
      new AbortController().signal,
    );
    if (!entered.ok) throw new Error(entered.error.message);
    const [program = '', ...args] = entered.value.argv;
    const { code, out } = await new Promise<Omit<Ended, 'violations'>>((resolve) => {
      // A first bash whose input is a socket takes itself for a remote one, and reads the person's start-up file.
      const env = { ...process.env, SHLVL: '1' };
      const child = execFile(program, args, { cwd: folder, env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, out: stdout + stderr }),
      );
      entered.value.started(child.pid ?? 0);
    });
    return { code, out, violations: await entered.value.ended() };
  };
  return { home, folder, run, network };
}

const NO = { allow: false, reason: 'the test says no' };

/** Asks for a page by way of the proxy the environment names, as any program does; prints the status. */
const FETCH = `
const proxy = new URL(process.env.HTTP_PROXY);
const auth = 'Basic ' + Buffer.from(decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)).toString('base64');
require('node:http').get({ host: proxy.hostname, port: proxy.port, path: 'http://' + process.argv[1] + '/',
  headers: { host: process.argv[1], 'proxy-authorization': auth } }, (r) => { console.log('status', r.statusCode); r.resume(); })
  .on('error', (e) => console.log('error', e.message));`;
const fetchLine = (host: string) =>
  `'${process.execPath}' -e '${FETCH.replaceAll("'", `'\\''`)}' '${host}'`;

describe.skipIf(obstacle !== null)('THREATS 16: a command in the sandbox', () => {
  test('writes in the project and its own temporary folder, and nowhere else', async () => {
    const { folder, home, run } = await project();
    const inside = await run(
      'echo yes > a.txt && echo tmp > "$TMPDIR/t" && cat a.txt "$TMPDIR/t"; pwd',
    );
    expect(inside).toMatchObject({ code: 0, out: `yes\ntmp\n${folder}\n`, violations: [] });
    const outside = await run(`echo no > ${home}/b.txt`);
    expect(outside.code).not.toBe(0);
    expect(existsSync(join(home, 'b.txt'))).toBe(false);
    expect(outside.violations).toEqual([{ kind: 'write', target: join(home, 'b.txt') }]);
  });

  test('runs although the helpers of its network that are started first never listen', async () => {
    const { home, run } = await project();
    const script = `#!/bin/sh\ncase "$*" in *UNIX-LISTEN*) if [ "$(cat ${home}/late 2>/dev/null | wc -l)" -lt 2 ]; then echo >> ${home}/late; exec sleep 600; fi;; esac\nexec socat "$@"\n`;
    await writeFile(join(home, 'socat'), script, { mode: 0o755 });
    const { code, out } = await run('echo in', { programs: { socat: join(home, 'socat') } });
    expect([code, out, await readFile(join(home, 'late'), 'utf8')]).toEqual([0, 'in\n', '\n\n']);
  });

  test('cannot create what is not there and would make programs run something', async () => {
    const { folder, run } = await project();
    const names = [
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.claude/skills/x/SKILL.md',
      '.git/config',
      '.git/hooks/pre-commit',
      '.envrc',
      '.mcp.json',
      '.bashrc',
      '.zshrc',
      '.profile',
    ];
    const tries = names.map(
      (name) => `mkdir -p "$(dirname ${name})"; echo evil > ${name} && echo MADE ${name}`,
    );
    const { out } = await run(`(${tries.join('; ')}); ls -A`);
    expect(out).not.toContain('MADE');
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
  });

  test('adds and commits everything, without what stands in for absent files, nor what the person excludes', async () => {
    const { folder, home, run } = await project();
    const git = { cwd: folder, env: { PATH: process.env['PATH'], HOME: home } };
    await promisify(execFile)('git', ['init', '-q', '.'], git);
    await mkdir(join(home, '.config/git'), { recursive: true });
    await writeFile(join(home, '.config/git/ignore'), '*.own\n');
    await mkdir(join(folder, 'sub dir'));
    for (const name of ['a.txt', 'b.own', 'sub dir/c.txt', '.npmrc'])
      await writeFile(join(folder, name), 'x\n');
    const who = '-c user.name=a -c user.email=a@example.com';
    const { code, out } = await run(
      `git status --short && git add . && git ${who} commit -q -m x && git ls-files`,
    );
    expect(code).toBe(0);
    const files = ['.npmrc', 'a.txt', 'sub dir/'];
    const status = files.map((name) => `?? ${name.includes(' ') ? `"${name}"` : name}`);
    expect(out.trim().split('\n')).toEqual([...status, '.npmrc', 'a.txt', 'sub dir/c.txt']);
  });

  test('cannot turn a submodule or a worktree to a repository of its own making', async () => {
    const { folder, run } = await project();
    const files = [
      '.git/modules/sub/config',
      '.git/modules/sub/hooks/pre-commit',
      '.git/modules/deep/er/config',
      '.git/worktrees/tree/commondir',
      '.git/worktrees/tree/gitdir',
    ];
    for (const file of [...files, '.git/config', '.git/HEAD']) {
      await mkdir(join(folder, file, '..'), { recursive: true });
      await writeFile(join(folder, file), 'mine\n');
    }
    const { out } = await run(files.map((file) => `echo evil >> ${file} && echo MADE`).join('; '));
    expect(out).not.toContain('MADE');
    for (const file of files) expect(await readFile(join(folder, file), 'utf8')).toBe('mine\n');
  });

  test('works in a worktree, and cannot turn it to another repository', async () => {
    const { folder, home, run } = await project();
    const git = (cwd: string, ...words: readonly string[]) =>
      promisify(execFile)(
        'git',
        ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words],
        {
          cwd,
          env: { PATH: process.env['PATH'], HOME: home },
        },
      );
    const main = join(home, 'main');
    await git(home, 'init', '-q', main);
    await git(main, 'commit', '-q', '--allow-empty', '-m', 'x');
    await git(main, 'worktree', 'add', '-q', '--force', folder);
    const pointer = await readFile(join(folder, '.git'), 'utf8');
    const { out } = await run('git status --short --branch; echo evil > .git && echo MADE');
    expect(out).toContain('## project');
    expect(out).not.toContain('MADE');
    expect(await readFile(join(folder, '.git'), 'utf8')).toBe(pointer);
  });

  test('leaves no commondir by which git would take its orders elsewhere', async () => {
    const { folder, run } = await project();
    await mkdir(join(folder, '.git'));
    const made = join(folder, '.git/commondir');
    const { violations } = await run('echo ../evil > .git/commondir');
    expect(violations).toEqual([
      { kind: 'write', target: made, reason: expect.stringContaining('it was taken away') },
    ]);
    expect(existsSync(made)).toBe(false);
  });

  test('cannot change, replace, link or move away what is protected and there', async () => {
    const { folder, run } = await project();
    await mkdir(join(folder, '.git/hooks'), { recursive: true });
    await mkdir(join(folder, '.claude'));
    const files = ['.git/config', '.claude/settings.json', '.npmrc', '.mcp.json'];
    for (const file of files) await writeFile(join(folder, file), 'mine\n');
    const tries = files.flatMap((file) => [
      `echo evil >> ${file}`,
      `rm -f ${file}; echo evil > ${file}`,
      `mv ${file} gone; echo evil > ${file}`,
      `ln -sf /dev/null ${file}`,
    ]);
    await run(`${tries.join('; ')}; mv .git git2; mv .claude c2; true`);
    for (const file of files) expect(await readFile(join(folder, file), 'utf8')).toBe('mine\n');
  });

  test('leaves no placeholder behind', async () => {
    const { folder, run } = await project();
    await run('true');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('does not read what is denied, except what is allowed inside it', async () => {
    const { home, run } = await project();
    await mkdir(join(home, 'secret/open'), { recursive: true });
    await writeFile(join(home, 'secret/key'), 'sesame');
    await writeFile(join(home, 'secret/open/note'), 'hello');
    const policy = { denyRead: [join(home, 'secret')], allowRead: [join(home, 'secret/open')] };
    const { out } = await run(`cat ${home}/secret/key; cat ${home}/secret/open/note`, policy);
    expect(out).toContain('hello');
    expect(out).not.toContain('sesame');
  });

  test('does not write what is denied inside the project', async () => {
    const { folder, run } = await project();
    await mkdir(join(folder, 'vendor'));
    const tried = await run('echo x > vendor/x', { denyWrite: [join(folder, 'vendor')] });
    expect(tried.code).not.toBe(0);
    expect(readdirSync(join(folder, 'vendor'))).toEqual([]);
  });

  test('sees no process outside, and none of it stays', async () => {
    const { run } = await project();
    const { out } = await run(`kill -0 ${process.pid} 2>&1; ls /proc | grep -c '^${process.pid}$'`);
    expect(out).toMatch(/No such process[\s\S]*\n0\n$/);
  });

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

  test('gets no variable that is withheld, not even from other processes inside', async () => {
    const { run } = await project();
    process.env['LATHE_TEST_TOKEN'] = 'sesame';
    process.env['LATHE_TEST_OTHER'] = 'kept';
    try {
      const line = 'env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"';
      const plain = await run(line);
      expect(plain.out).toContain('LATHE_TEST_TOKEN=sesame');
      const withheld = await run(line, { withheldVariables: ['LATHE_TEST_TOKEN'] });
      expect(withheld.out).toContain('LATHE_TEST_OTHER=kept');
      expect(withheld.out).not.toContain('sesame');
    } finally {
      delete process.env['LATHE_TEST_TOKEN'];
      delete process.env['LATHE_TEST_OTHER'];
    }
  });

  test('goes to the proxy of the person where they name one, which judges hosts alone', async () => {
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

  test('makes namespaces of its own only where it may', async () => {
    const { run } = await project();
    const line = 'unshare --user --map-root-user echo inside';
    expect((await run(line)).out).not.toContain('inside');
    expect((await run(line, { nestedNamespaces: true })).out).toContain('inside');
    expect((await run(line)).out).not.toContain('inside');
  });

  test('what nobody wants to hear of is stopped, and not told', async () => {
    const { home, run } = await project();
    const line = `echo no > ${home}/b; echo no > ${home}/c`;
    const told = async (ignoreViolations: SandboxPolicy['ignoreViolations']) =>
      (await run(line, { ignoreViolations })).violations.map(({ target }) => target);
    expect(await told({ [`${home}/b;`]: [join(home, 'b')] })).toEqual([join(home, 'c')]);
    expect(await told({ '*': [home] })).toEqual([]);
    expect(await told({ other: [home] })).toHaveLength(2);
    expect(readdirSync(home)).toEqual(['project']);
  });

  test('is made of the programs that are named, and does not begin without them', async () => {
    const home = await realpath(await tempFolder());
    const sandbox = await realSandbox(home);
    const named = join(home, 'bwrap');
    const { stdout } = await promisify(execFile)('which', ['bwrap']);
    const missing = { state: 'missing', why: expect.stringContaining(`${named}, which settings`) };
    expect(await sandbox.availability({ bwrap: named })).toMatchObject(missing);
    const session = sandbox.open({ project: home, ask: answering(() => NO).ask });
    open = session;
    const enter = (bwrap: string) =>
      session.enter(
        { argv: () => ['true'], text: 'true', policy: policyFor([home], { programs: { bwrap } }) },
        new AbortController().signal,
      );
    expect(await enter(named)).toMatchObject({ ok: false });
    const other = join(home, 'other-bwrap');
    await symlink(stdout.trim(), other);
    expect(await sandbox.availability({ bwrap: other })).toEqual({ state: 'ready' });
    const entered = await enter(other);
    expect(entered.ok && entered.value.argv.join(' ')).toContain(other);
    if (entered.ok) await entered.value.ended();
  });

  test('many at a time keep their walls, and each its own notes', async () => {
    const { folder, home, run } = await project();
    const runs = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        run(`echo ${n} > f${n}; sleep 0.2; echo x > ${home}/out${n}; echo x > .envrc`),
      ),
    );
    runs.forEach(({ violations }, i) => {
      const targets = violations.map(({ target }) => target);
      expect(targets).toEqual([join(home, `out${i + 1}`), join(folder, '.envrc')]);
    });
    expect(readdirSync(folder).sort()).toEqual(['f1', 'f2', 'f3', 'f4']);
    expect(readdirSync(home)).not.toContain('out1');
  });

  test('keeps its walls when Lathe ends before it, and takes them down after it', async () => {
    const { folder, home } = await project();
    const session = open;
    open = null;
    const line = `read -r go < go; echo evil > .mcp.json; echo no > ${home}/out; echo over > over`;
    await run('mkfifo', [join(folder, 'go')]);
    const entered = await session?.enter(
      { argv: () => ['/bin/bash', '-c', line], text: line, policy: policyFor([folder]) },
      new AbortController().signal,
    );
    if (!entered?.ok) throw new Error('The command could not be put inside.');
    const [program = '', ...args] = entered.value.argv;
    const child = execFile(program, args, { cwd: folder });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    entered.value.started(child.pid ?? 0);
    await session?.close();
    await writeFile(join(folder, 'go'), 'go\n');
    await ended;
    expect(existsSync(join(folder, 'over'))).toBe(true);
    expect(existsSync(join(home, 'out'))).toBe(false);
    // Its process goes within a second and takes the placeholders along.
    await soon(() => expect(readdirSync(folder).sort()).toEqual(['go', 'over']));
  });

  test('in two projects at once writes only in its own', async () => {
    const one = await project();
    const first = open;
    const two = await project();
    const [a, b] = await Promise.all([
      one.run(`echo 1 > mine; echo 1 > ${two.folder}/theirs`),
      two.run(`echo 2 > mine; echo 2 > ${one.folder}/theirs`),
    ]);
    await first?.close();
    expect([a.code, b.code]).not.toContain(0);
    expect([readdirSync(one.folder), readdirSync(two.folder)]).toEqual([['mine'], ['mine']]);
  });
});
