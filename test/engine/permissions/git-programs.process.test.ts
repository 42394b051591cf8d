import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { mayNameRepositories, trackedNames } from '../../../src/main/engine/permissions/git-index';
import {
  harmIn,
  trackedFiles,
  whatGitRuns,
} from '../../../src/main/engine/permissions/git-programs';
import { createShellParser } from '../../../src/main/engine/permissions/shell-analysis/parser';
import { touchesIn } from '../../../src/main/engine/permissions/shell-paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { loadWasm } from '../../../src/main/node/runtime';
import { rulesOf } from './support/judge';

let root: string;
let repo: string;
const files = createNodeFiles();
const { analyze } = createShellParser(loadWasm);

/** Real git, with nothing of the user's. */
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const commit = (cwd: string) => git(cwd, 'commit', '-q', '-m', 'x');
const write = (...names: readonly string[]) => {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(repo, name)), { recursive: true });
    appendFileSync(path.join(repo, name), `${name}\n`);
  }
};
const harm = async (cwd = repo, line = 'git status') =>
  whatGitRuns(await analyze(line), cwd, files);

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'lathe-git-')));
  repo = path.join(root, 'repo');
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  write('a.txt', 'dir/some-longer-name.txt', 'dir/b');
  git(repo, 'add', '-A');
  commit(repo);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Marker files that git's programs left behind when it ran for real. */
const fired = () => readdirSync(root).filter((name) => name.startsWith('fired-'));

describe('THREATS 8: what git in an untrusted folder might run', () => {
  test('nothing in a repository as git makes it, nor for a line without git', async () => {
    const clone = path.join(root, 'clone');
    git(root, 'clone', '-q', repo, clone);
    git(clone, 'checkout', '-q', '-b', 'topic', '--track', 'origin/main');
    git(clone, 'config', 'user.name', 'Ann "the" Person');
    git(clone, 'worktree', 'add', '-q', path.join(root, 'tree'), '-b', 'other');
    for (const cwd of [repo, clone, path.join(root, 'tree'), path.join(repo, 'dir'), root])
      expect(await harm(cwd)).toBeNull();
    git(repo, 'config', 'core.fsmonitor', 'x');
    expect(await harm(repo, 'ls -la | grep git')).toBeNull();
    expect(await harm(repo, 'ls && /usr/bin/git log')).toMatch(/core\.fsmonitor/);
  });

  test.each([
    ['fsmonitor', 'core.fsmonitor', 'status'],
    ['diff', 'diff.external', 'diff'],
    ['filter', 'filter.trap.clean', 'status'],
    ['textconv', 'diff.trap.textconv', 'diff'],
    ['driver', 'diff.trap.command', 'diff'],
  ])('a program in its configuration (%s), which real git does run', async (name, key, verb) => {
    write('.gitattributes');
    appendFileSync(path.join(repo, '.gitattributes'), '*.txt filter=trap diff=trap\n');
    write('a.txt');
    // Another time and the same size: git has to look into it, however fast the disk was.
    utimesSync(path.join(repo, 'dir', 'some-longer-name.txt'), 1, 1);
    git(repo, 'config', key, `touch ${root}/fired-${name} && true`);
    expect(await harm()).toContain(`config sets ${key}`);
    git(repo, verb);
    expect(fired()).toEqual([`fired-${name}`]);
  });

  test('a hook that git runs when it only looks', async () => {
    const hook = path.join(repo, '.git', 'hooks', 'post-index-change');
    mkdirSync(path.dirname(hook), { recursive: true });
    appendFileSync(hook, `#!/bin/sh\ntouch ${root}/fired-hook\n`, { mode: 0o755 });
    utimesSync(path.join(repo, 'a.txt'), 1, 1);
    expect(await harm()).toContain('post-index-change');
    git(repo, 'status');
    expect(fired()).toEqual(['fired-hook']);
  });

  test('a folder laid out like a repository, and what is below it', async () => {
    const trick = path.join(repo, 'assets');
    git(repo, 'init', '-q', '--bare', trick);
    expect(await harm(trick)).toContain('laid out like the inside');
    expect(await harm(path.join(trick, 'refs'))).toContain('laid out like the inside');
    expect(await harm(repo)).toBeNull();
  });

  test.each([['2'], ['4']])('a repository inside it, index version %s', async (version) => {
    git(repo, 'update-index', '--index-version', version);
    expect(await harm()).toBeNull();
    const inner = path.join(repo, 'dir', 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    appendFileSync(path.join(inner, 'x'), 'x');
    git(inner, 'add', '-A');
    commit(inner);
    git(repo, 'add', 'dir/inner');
    git(inner, 'config', 'core.fsmonitor', `touch ${root}/fired-inner #`);
    appendFileSync(path.join(inner, 'x'), 'more');
    expect(await harm()).toContain('repositories inside');
    git(repo, 'status');
    expect(fired()).toEqual(['fired-inner']);
  });

  test('entries that are kept in another file, and an index that is none', async () => {
    git(repo, 'update-index', '--split-index');
    expect(await harm()).toContain('repositories inside');
    for (const bytes of [[], [1, 2, 3], new Array(40).fill(0x44)])
      expect(mayNameRepositories(Uint8Array.from(bytes), 20)).toBe(true);
  });

  test('a sha256 repository and a work tree of its own configuration', async () => {
    const other = path.join(root, 'sha256');
    git(root, 'init', '-q', '--object-format=sha256', other);
    appendFileSync(path.join(other, 'a'), 'a');
    git(other, 'add', 'a');
    expect(await harm(other)).toBeNull();
    git(repo, 'config', 'extensions.worktreeConfig', 'true');
    expect(await harm()).toBeNull();
    git(repo, 'config', '--worktree', 'core.fsmonitor', 'x');
    expect(await harm()).toContain('config.worktree sets core.fsmonitor');
  });

  test('a .git file leads to the configuration that counts', async () => {
    const pointing = path.join(root, 'pointing');
    mkdirSync(pointing);
    appendFileSync(path.join(pointing, '.git'), 'gitdir: ../repo/.git\n');
    expect(await harm(pointing)).toBeNull();
    git(repo, 'config', 'diff.external', 'x');
    expect(await harm(pointing)).toContain('diff.external');
    appendFileSync(path.join(pointing, '.git'), 'and more\n');
    expect(await harm(pointing)).toContain('cannot be understood');
  });

  test.each([
    ['[core] fsmonitor = x', 'the line'],
    ['[core]\n\tfilemode = true \\\n[alias]', 'the line'],
    ['[include]\n\tpath = ../evil', 'include.path'],
    ['[includeIf "gitdir:/"]\n path = x', 'includeif.gitdir:/.path'],
    ['[CORE]\nFsMonitor=x', 'core.fsmonitor'],
    ['[filter.trap]\nclean = x', 'filter.trap.clean'],
    ['[core]\nworktree = /home', 'core.worktree'],
    ['[core]\nbare = true', 'core.bare'],
    ['[remote "o"]\npromisor = true', 'remote.o.promisor'],
    ['[branch "x"]\nremote = o\n[core]\nsshCommand = x', 'core.sshcommand'],
    ['[core "x]\n', 'the line'],
    ['\u0000', 'the line'],
  ])('%j is not harmless', (text, expected) => {
    expect(harmIn(text)).toContain(expected);
  });

  test('then even git status asks: no prefix rule allows it, the exact rule does', async () => {
    const ask = async (allow: readonly string[], gitRuns?: string) => {
      const command = 'git status';
      const analysis = await analyze(command);
      const request = { kind: 'shell', tool: 'Bash', command, cwd: repo, analysis } as const;
      const context = {
        cwd: repo,
        home: root,
        project: repo,
        workingDirectories: [repo],
        caseInsensitive: false,
      };
      const touches = touchesIn(analysis, context);
      const full = {
        ...request,
        touches,
        realPaths: {},
        ...(gitRuns === undefined ? {} : { gitRuns }),
      };
      return decide(full, rulesOf({ allow }), 'default', context);
    };
    expect((await ask([])).behavior).toBe('allow');
    expect(await ask(['Bash(git *)'], 'it sets core.fsmonitor')).toMatchObject({
      behavior: 'ask',
      reason: expect.stringContaining('core.fsmonitor'),
    });
    expect((await ask(['Bash(git status)'], 'it sets core.fsmonitor')).behavior).toBe('allow');
  });
});

describe('the files git tracks', () => {
  test.each([2, 4])('are read from an index of version %d', async (version) => {
    mkdirSync(path.join(repo, 'deep/er'), { recursive: true });
    appendFileSync(path.join(repo, 'deep/er/ä b.txt'), 'x');
    appendFileSync(path.join(repo, 'deep/er/z.txt'), 'x');
    git(repo, 'add', '-A');
    git(repo, 'update-index', '--index-version', String(version));
    const expected = git(repo, '-c', 'core.quotePath=false', 'ls-files').trim().split('\n');
    const found = await trackedFiles(await analyze('git diff'), repo, files);
    expect(found?.root).toBe(repo);
    expect(found?.names).toEqual(expected);
    expect(expected).toContain('deep/er/ä b.txt');
  });

  test('are those of the worktree or submodule that a folder is in', async () => {
    const tree = path.join(root, 'tree');
    git(repo, 'worktree', 'add', '-q', tree, '-b', 'other');
    appendFileSync(path.join(tree, 'own.txt'), 'x');
    git(tree, 'add', 'own.txt');
    const inner = path.join(root, 'outer', 'inner');
    mkdirSync(path.dirname(inner));
    git(path.dirname(inner), 'init', '-q');
    git(
      path.dirname(inner),
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '-q',
      repo,
      'inner',
    );
    for (const folder of [tree, inner]) {
      const expected = git(folder, 'ls-files').trim().split('\n');
      const found = await trackedFiles(await analyze('git show'), path.join(folder, 'dir'), files);
      expect(found).toEqual({ root: folder, names: expected });
    }
  });

  test('are not told where they may be others', async () => {
    for (const line of ['git log HEAD~1', 'cd x && git diff', 'git status', 'ls'])
      expect(await trackedFiles(await analyze(line), repo, files), line).toBeUndefined();
    expect(trackedNames(new Uint8Array([1, 2, 3]), 20)).toBeNull();
  });
});
