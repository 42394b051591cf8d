import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findWorktree,
  makeWorktree,
  removeUnchanged,
  startIn,
  type Worktree,
  type WorktreeServices,
} from '../../../src/main/engine/agents/worktree';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodePrograms } from '../../../src/main/node/programs';
import { err } from '../../../src/shared/result';
import { createTestLocks } from '../../support/locks';
import { soon } from '../../support/soon';

let project = '';
const locks = createTestLocks();
const services: WorktreeServices = {
  files: createNodeFiles(),
  programs: createNodePrograms(),
  locks,
};
const { signal } = new AbortController();
const choice = { baseRef: 'fresh', symlinkDirectories: [], mayCopy: async () => true } as const;

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'lathe-worktree-')));
  git(project, 'init', '-q', '-b', 'main');
  await writeFile(join(project, '.gitignore'), 'notes/\nnode_modules/\n*.log\n.env\n');
  await writeFile(join(project, 'a.txt'), 'first\n');
  await mkdir(join(project, 'packages', 'one'), { recursive: true });
  await writeFile(join(project, 'packages', 'one', 'b.txt'), 'second\n');
  git(project, 'add', '-A');
  git(project, 'commit', '-q', '-m', 'first');
});
afterEach(async () => {
  await locks.release();
  await rm(project, { recursive: true, force: true });
});

async function make(name = 'try', from = services): Promise<Worktree> {
  const made = await makeWorktree(from, project, name, choice, signal);
  if (!made.ok) throw new Error(made.error);
  return made.value.worktree;
}

const commit = (folder: string) => git(folder, 'commit', '-q', '--allow-empty', '-m', 'work');

describe('a worktree in which something would be lost stays', () => {
  const held: readonly [string, (path: string) => unknown, string][] = [
    ['a changed file', (path) => writeFile(join(path, 'a.txt'), 'x'), 'changes'],
    ['a new file', (path) => writeFile(join(path, 'new.txt'), 'x'), 'changes'],
    [
      'a change that git was told to assume away',
      async (path) => {
        git(path, 'update-index', '--assume-unchanged', 'a.txt');
        await writeFile(join(path, 'a.txt'), 'x');
      },
      'changes',
    ],
    [
      'a change that git was told to skip',
      async (path) => {
        git(path, 'update-index', '--skip-worktree', 'a.txt');
        await writeFile(join(path, 'a.txt'), 'x');
      },
      'changes',
    ],
    ['a commit', commit, 'it holds commits'],
    [
      'a commit that no branch leads to',
      (path) => {
        git(path, 'checkout', '-q', '--detach');
        commit(path);
        git(path, 'checkout', '-q', '-');
      },
      'it holds commits',
    ],
    [
      'a commit on its branch, which was left',
      (path) => {
        commit(path);
        git(path, 'checkout', '-q', '--detach', 'HEAD~1');
      },
      'it holds commits',
    ],
    [
      'an ignored file',
      (path) => writeFile(join(path, 'run.log'), 'x'),
      'it holds files that git ignores (run.log)',
    ],
    [
      'a folder of ignored files',
      async (path) => {
        await mkdir(join(path, 'notes'));
        await writeFile(join(path, 'notes', 'found.md'), 'x');
      },
      'it holds files that git ignores (notes/found.md)',
    ],
    [
      'an ignored file that the project has otherwise',
      async (path) => {
        await writeFile(join(project, '.env'), 'A=1');
        await writeFile(join(path, '.env'), 'A=2');
      },
      'it holds files that git ignores (.env)',
    ],
    [
      'a folder that is no worktree any more',
      (path) => rm(join(path, '.git')),
      'git does not know it any more',
    ],
  ];
  it.each(held)('%s', async (_, work, why) => {
    const worktree = await make();
    await work(worktree.path);
    expect(await removeUnchanged(services, project, worktree)).toContain(why);
    expect(existsSync(worktree.path)).toBe(true);
  });
});

describe('one that holds nothing of its own goes, and its branch with it', () => {
  const bare: readonly [string, (path: string) => unknown][] = [
    ['as it was made', () => {}],
    [
      'with what programs make again',
      async (path) => {
        await mkdir(join(path, 'node_modules', 'x'), { recursive: true });
        await writeFile(join(path, 'node_modules', 'x', 'index.js'), 'x');
      },
    ],
    [
      'with an ignored file that the project has as well',
      async (path) => {
        for (const folder of [project, path]) await writeFile(join(folder, '.env'), 'A=1');
      },
    ],
    [
      'with work on another branch, which stays',
      (path) => {
        git(path, 'checkout', '-q', '-b', 'kept');
        commit(path);
        git(path, 'checkout', '-q', '-');
      },
    ],
    ['whose folder somebody removed', (path) => rm(path, { recursive: true })],
  ];
  it.each(bare)('%s', async (_, work) => {
    const worktree = await make();
    await work(worktree.path);
    expect(await removeUnchanged(services, project, worktree)).toBeNull();
    expect(existsSync(worktree.path)).toBe(false);
    expect(git(project, 'branch', '--list', worktree.branch)).toBe('');
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});

it('is made again on its branch when only that was left, with what was committed', async () => {
  const first = await make();
  commit(first.path);
  await rm(first.path, { recursive: true });
  expect(await removeUnchanged(services, project, first)).toBe(
    'its folder is gone, but it holds commits',
  );
  const second = await make();
  expect(git(second.path, 'log', '-1', '--format=%s')).toBe('work');
  expect(await removeUnchanged(services, project, second)).toBe('it holds commits');
});

it('begins in the folder that stands for a project below its repository', async () => {
  const whole = project;
  project = join(project, 'packages', 'one');
  const worktree = await make();
  const folder = await startIn(services, project, worktree, signal);
  expect(folder).toBe(join(worktree.path, 'packages', 'one'));
  expect(existsSync(join(folder, 'b.txt'))).toBe(true);
  project = whole;
});

it('is made and removed alone, whoever else does', async () => {
  let now = 0;
  let most = 0;
  const watched: WorktreeServices = {
    ...services,
    programs: {
      run: async (argv, ...rest) => {
        const changes = argv.includes('worktree');
        now += Number(changes);
        most = Math.max(most, now);
        const ran = await services.programs.run(argv, ...rest);
        now -= Number(changes);
        return ran;
      },
    },
  };
  const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => make(name, watched)));
  const left = await Promise.all(all.map((one) => removeUnchanged(watched, project, one)));
  expect(left).toEqual([null, null, null, null, null]);
  expect(most).toBe(1);
});

describe('a checkout that does not come to its end', () => {
  /** Has git put each file through a program that never ends, and returns where that notes its process. */
  const hangs = async () => {
    const mark = join(project, '.git', 'smudging');
    git(project, 'config', 'filter.slow.smudge', `sh -c 'echo $$ > "${mark}"; exec sleep 600'`);
    git(project, 'config', 'filter.slow.clean', 'cat');
    await writeFile(join(project, '.gitattributes'), '*.txt filter=slow\n');
    git(project, 'add', '-A');
    git(project, 'commit', '-q', '-m', 'slow');
    return mark;
  };
  const pidIn = async (mark: string) => Number(await readFile(mark, 'utf8').catch(() => '0'));
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const path = () => join(project, '.claude', 'worktrees', 'try');
  const leavesNothing = async (mark: string) => {
    expect(existsSync(path())).toBe(false);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(git(project, 'status', '--short')).toBe('');
    const pid = await pidIn(mark);
    expect(pid).toBeGreaterThan(0);
    await soon(() => expect(isAlive(pid)).toBe(false));
  };

  it('leaves nothing of itself when it is stopped, nor a process', async () => {
    const mark = await hangs();
    const stop = new AbortController();
    const making = makeWorktree(services, project, 'try', choice, stop.signal);
    await soon(async () => expect(await pidIn(mark)).toBeGreaterThan(0));
    stop.abort();
    expect(await making).toMatchObject({ ok: false });
    await leavesNothing(mark);
    expect(git(project, 'branch', '--list', 'worktree-*')).toBe('');
    // Without the filter it is made as any other.
    git(project, 'config', '--unset', 'filter.slow.smudge');
    git(project, 'config', 'filter.slow.smudge', 'cat');
    expect(existsSync(join((await make()).path, 'a.txt'))).toBe(true);
  });

  it('leaves the branch that was there, when it takes too long', async () => {
    const { path: first } = await make();
    commit(first);
    git(project, 'worktree', 'remove', first);
    const mark = await hangs();
    git(project, 'branch', '-f', 'worktree-try', 'main');
    const tip = git(project, 'rev-parse', 'worktree-try');
    const programs: typeof services.programs = {
      ...services.programs,
      run: async (argv, options, ended) => {
        if (!argv.includes('add')) return services.programs.run(argv, options, ended);
        const limit = new AbortController();
        const running = services.programs.run(argv, options, limit.signal);
        await soon(async () => expect(await pidIn(mark)).toBeGreaterThan(0));
        limit.abort();
        await running;
        return err({ code: 'timeout', message: 'git did not finish in 1000 ms.' });
      },
    };
    const made = await makeWorktree({ ...services, programs }, project, 'try', choice, signal);
    expect(made).toMatchObject({ ok: false, error: expect.stringContaining('did not finish') });
    await leavesNothing(mark);
    expect(git(project, 'rev-parse', 'worktree-try')).toBe(tip);
  });

  it('takes nothing away that was there before', async () => {
    await mkdir(path(), { recursive: true });
    await writeFile(join(path(), 'mine.txt'), 'work');
    git(project, 'branch', 'worktree-try');
    const made = await makeWorktree(services, project, 'try', choice, signal);
    expect(made).toMatchObject({ ok: false, error: expect.stringContaining('exists') });
    expect(await readFile(join(path(), 'mine.txt'), 'utf8')).toBe('work');
    expect(git(project, 'branch', '--list', 'worktree-try')).not.toBe('');
  });

  it('is not entered as if it were whole', async () => {
    const { path: half } = await make();
    await writeFile(join(project, '.git', 'worktrees', 'try', 'locked'), 'initializing');
    expect(await findWorktree(services, project, 'try')).toBeNull();
    expect(await makeWorktree(services, project, 'try', choice, signal)).toMatchObject({
      ok: false,
      error: expect.stringContaining(half),
    });
  });
});
