import { execFileSync } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCommits } from '../../../src/main/engine/commits/commits';
import { createNodeCommands } from '../../../src/main/node/commands';
import { createOwnTrees } from '../../../src/main/terminal/process/kill-tree';
import { systemProcesses } from '../../../src/main/terminal/process/system-processes';
import { countingIds, memoryClock } from '../../support/memory-clock';

let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-commits-'));
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    ...{ GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com' },
    ...{ GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.com' },
  };
  await mkdir(join(folder, 'repo', 'sub'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const repo = () => join(folder, 'repo');
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: repo(), env, encoding: 'utf8' });
const write = (name: string, text: string) => writeFile(join(repo(), name), text);
const commits = (at = repo()) =>
  createCommits({
    commands: createNodeCommands(createOwnTrees(systemProcesses(), 100)),
    clock: memoryClock(0),
    ids: countingIds(),
    folder: at,
    env: async () => env,
  });
const NEVER = new AbortController().signal;
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`);
const must = <T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }) => {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

test('hunks and files are staged, taken out again and committed, from a subfolder too', async () => {
  git('init', '-q', '-b', 'main');
  const lines = numbered(40);
  await write('a.txt', lines.join(''));
  await write('gone.txt', 'gone\n');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  await write('a.txt', lines.with(2, 'ferry\n').with(30, 'tug\n').join(''));
  await rm(join(repo(), 'gone.txt'));
  await write('new *.txt', 'new');
  await write('new x.txt', 'another');

  const own = commits(join(repo(), 'sub'));
  const before = must(await own.view());
  expect(before?.branch).toBe('main');
  expect(before?.files.map(({ path, unstaged }) => [path, unstaged])).toEqual([
    ['a.txt', 'changed'],
    ['gone.txt', 'deleted'],
    ['new *.txt', 'new'],
    ['new x.txt', 'new'],
  ]);
  const { unstaged } = must(await own.diff('a.txt'));
  expect(unstaged).toHaveLength(2);
  must(await own.stage('a.txt', true, unstaged?.[1]?.id));
  expect(git('diff', '--cached')).toContain('+tug');
  expect(git('diff', '--cached')).not.toContain('ferry');
  // What was staged is no longer there to be staged.
  expect(await own.stage('a.txt', true, unstaged?.[1]?.id)).toMatchObject({
    error: { code: 'changed' },
  });
  const { staged } = must(await own.diff('a.txt'));
  must(await own.stage('a.txt', false, staged?.[0]?.id));
  expect(git('diff', '--cached')).toBe('');

  // A name is no pattern.
  must(await own.stage('new *.txt', true));
  must(await own.stage('gone.txt', true));
  must(await own.stage('a.txt', true));
  must(await own.stage('a.txt', false));
  expect(git('status', '--short')).toBe(' M a.txt\nD  gone.txt\nA  "new *.txt"\n?? "new x.txt"\n');
  const made = must(await own.commit('Replace a file\n\n# a heading\n', NEVER));
  expect(made.commit).toBe(git('rev-parse', '--short', 'HEAD').trim());
  expect(git('log', '-1', '--format=%B').trim()).toBe('Replace a file\n\n# a heading');
  expect(await own.subjects()).toEqual(['Replace a file', 'Begin']);
});

test('a hook of the repository runs at a commit, and can refuse it', async () => {
  git('init', '-q');
  const hook = join(repo(), '.git', 'hooks', 'pre-commit');
  await writeFile(hook, '#!/bin/sh\necho "format me first" >&2\nexit 1\n');
  await chmod(hook, 0o755);
  await write('a.txt', 'a\n');
  must(await commits().stage('a.txt', true));
  expect(must(await commits().commit('Begin', NEVER))).toEqual({
    commit: null,
    output: 'format me first',
  });
  // A repository without a commit can be unstaged too.
  must(await commits().stage('a.txt', false));
  expect(must(await commits().view())).toMatchObject({ stagedCount: 0, count: 1 });
});

test('there is nothing to commit where there is no repository', async () => {
  expect(await commits().view()).toEqual({ ok: true, value: null });
  expect(await commits().commit('x', NEVER)).toMatchObject({ error: { code: 'no_repository' } });
});

test('a file that was moved is staged and taken out with both its names', async () => {
  git('init', '-q', '-b', 'main');
  await write('old.txt', numbered(20).join(''));
  await write('other.txt', 'other\n');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  const own = commits();
  const shown = async () =>
    must(await own.view())?.files.map(({ path, from, staged, unstaged }) => [
      ...[path, from, staged, unstaged],
    ]);

  // Moved by hand: git knows of a deleted and of a new file, and of nothing else that was deleted.
  git('mv', 'old.txt', 'new.txt');
  git('reset', '-q');
  await rm(join(repo(), 'other.txt'));
  expect(await shown()).toEqual([
    ['new.txt', undefined, null, 'new'],
    ['old.txt', undefined, null, 'deleted'],
    ['other.txt', undefined, null, 'deleted'],
  ]);
  must(await own.stage('new.txt', true));
  expect(await shown()).toEqual([
    ['new.txt', 'old.txt', 'renamed', null],
    ['other.txt', undefined, null, 'deleted'],
  ]);
  must(await own.stage('new.txt', false));
  expect(git('diff', '--cached', '--name-only')).toBe('');

  must(await own.stage('new.txt', true));
  expect(must(await own.commit('Move it', NEVER)).commit).toMatch(/^[0-9a-f]+$/);
  expect(git('show', '--name-status', '--format=', '-M').trim()).toBe('R100\told.txt\tnew.txt');
  expect(await shown()).toEqual([['other.txt', undefined, null, 'deleted']]);
});

test('a new file is staged where the name it had before is staged as deleted', async () => {
  git('init', '-q', '-b', 'main');
  await write('old.txt', numbered(20).join(''));
  await write('other.txt', 'other\n');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  git('rm', '-q', '--cached', 'old.txt');
  await rm(join(repo(), 'other.txt'));
  await write('new.txt', numbered(20).join(''));
  await rm(join(repo(), 'old.txt'));
  must(await commits().stage('new.txt', true));
  expect(git('diff', '--cached', '--name-status', '-M').trim()).toBe('R100\told.txt\tnew.txt');
});

test('a commit is stopped with the hook that it waits for; one that was made is told as made', async () => {
  git('init', '-q', '-b', 'main');
  await write('a.txt', 'a\n');
  git('add', '-A');
  const began = join(folder, 'began');
  const hook = async (name: string) => {
    const file = join(repo(), '.git', 'hooks', name);
    await mkdir(join(repo(), '.git', 'hooks'), { recursive: true });
    await writeFile(file, `#!/bin/sh\necho checking\n: > '${began}'\nsleep 1000\n`);
    await chmod(file, 0o755);
    return file;
  };
  const stopped = async () => {
    await rm(began, { force: true });
    const stop = new AbortController();
    const made = commits().commit('Begin', stop.signal);
    await vi.waitFor(() => access(began), { timeout: 60_000, interval: 50 });
    stop.abort();
    return must(await made);
  };
  const before = await hook('pre-commit');
  // Git may still say how its hook ended.
  const output = expect.stringMatching(/^checking/);
  expect(await stopped()).toEqual({ commit: null, output, stopped: true });
  await rm(before);
  // Nothing of it is in the way of the next one.
  await hook('post-commit');
  expect(await stopped()).toMatchObject({ commit: git('rev-parse', '--short', 'HEAD').trim() });
});
