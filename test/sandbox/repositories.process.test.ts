import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sandboxObstacle } from '../support/sandbox';
import { project } from './sandboxed-project';

const obstacle = await sandboxObstacle();

describe.skipIf(obstacle !== null)('THREATS 16: git in the sandbox', () => {
  test('adds and commits everything, without what stands in for absent files, nor what the user excludes', async () => {
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
});
