import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
  const made = must(await own.commit('Replace a file\n\n# a heading\n'));
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
  expect(must(await commits().commit('Begin'))).toEqual({
    commit: null,
    output: 'format me first',
  });
  // A repository without a commit can be unstaged too.
  must(await commits().stage('a.txt', false));
  expect(must(await commits().view())).toMatchObject({ stagedCount: 0, count: 1 });
});

test('there is nothing to commit where there is no repository', async () => {
  expect(await commits().view()).toEqual({ ok: true, value: null });
  expect(await commits().commit('x')).toMatchObject({ error: { code: 'no_repository' } });
});
