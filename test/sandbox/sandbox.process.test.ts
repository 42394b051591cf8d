import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SandboxPolicy } from '../../src/main/engine/ports-sandbox';
import { tempFolder } from '../node/temp-folder';
import { answering, policyFor, realSandbox, sandboxObstacle } from '../support/sandbox';
import { soon } from '../support/soon';
import { project } from './sandboxed-project';

const obstacle = await sandboxObstacle();

const run = promisify(execFile);

const NO = { allow: false, reason: 'the test says no' };

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
    onTestFinished(session.close);
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
    const { folder, home, session } = await project();
    const line = `read -r go < go; echo evil > .mcp.json; echo no > ${home}/out; echo over > over`;
    await run('mkfifo', [join(folder, 'go')]);
    const entered = await session.enter(
      { argv: () => ['/bin/bash', '-c', line], text: line, policy: policyFor([folder]) },
      new AbortController().signal,
    );
    if (!entered.ok) throw new Error('The command could not be put inside.');
    const [program = '', ...args] = entered.value.argv;
    const child = execFile(program, args, { cwd: folder });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    entered.value.started(child.pid ?? 0);
    await session.close();
    await writeFile(join(folder, 'go'), 'go\n');
    await ended;
    expect(existsSync(join(folder, 'over'))).toBe(true);
    expect(existsSync(join(home, 'out'))).toBe(false);
    // Its process goes within a second and takes the placeholders along.
    await soon(() => expect(readdirSync(folder).sort()).toEqual(['go', 'over']));
  });

  test('in two projects at once writes only in its own', async () => {
    const one = await project();
    const two = await project();
    const [a, b] = await Promise.all([
      one.run(`echo 1 > mine; echo 1 > ${two.folder}/theirs`),
      two.run(`echo 2 > mine; echo 2 > ${one.folder}/theirs`),
    ]);
    expect([a.code, b.code]).not.toContain(0);
    expect([readdirSync(one.folder), readdirSync(two.folder)]).toEqual([['mine'], ['mine']]);
  });
});
