import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  discardWorktree,
  type MadeWorktree,
  makeWorktree,
  removeUnchanged,
  type WorktreeServices,
} from '../../../src/main/engine/agents/worktree';
import { createDecide } from '../../../src/main/engine/permissions/decide';
import { worktreeChoice } from '../../../src/main/engine/session/worktree-choice';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodePrograms } from '../../../src/main/node/programs';
import type { PermissionRule } from '../../../src/shared/permission';
import { createTestLocks } from '../../support/locks';

let folder = '';
let project = '';
const locks = createTestLocks();
const files = createNodeFiles();
const services: WorktreeServices = { files, programs: createNodePrograms(), locks };
const { signal } = new AbortController();

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

/** Writes files below the project, by their paths. */
async function put(contents: Readonly<Record<string, string>>, root = project): Promise<void> {
  for (const [name, text] of Object.entries(contents)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

const commit = (cwd = project) => {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'work');
};

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'lathe-carried-')));
  project = join(folder, 'project');
  await mkdir(project);
  git(project, 'init', '-q', '-b', 'main');
  await put({
    '.gitignore': '.env\n*.key\nsecrets/\nnode_modules/\ndata/\nbuild/\n',
    '.worktreeinclude': '.env\n*.key\nsecrets/\nbuild/local\nfree.txt\n',
    'a.txt': 'first\n',
    'sub/b.txt': 'second\n',
  });
  commit();
});
afterEach(async () => {
  await locks.release();
  await rm(folder, { recursive: true, force: true });
});

type Settings = Partial<Pick<EffectiveSettings, 'rules' | 'sandbox' | 'worktree'>>;

async function make(settings: Settings = {}, name = 'try', at = project): Promise<MadeWorktree> {
  const given = { rules: [], ...settings } as unknown as EffectiveSettings;
  const from = { files, decide: createDecide(), home: folder, platform: 'linux' as const };
  const choice = worktreeChoice(from, at, given);
  const made = await makeWorktree(services, at, name, choice, signal);
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

const linking = (...symlinkDirectories: readonly string[]): Settings => ({
  worktree: { baseRef: 'head', symlinkDirectories },
});

const rules = (behavior: PermissionRule['behavior'], ...texts: readonly string[]) =>
  texts.map((text): PermissionRule => ({ behavior, text, source: 'projectSettings' }));

describe('.worktreeinclude', () => {
  it('has ignored files copied, with their mode, whatever they are called', async () => {
    const names = ['.env', 'sub/ü ñ 密.key', ':(top)x.key', ' lead.key', 'new\nline.key', 'a*.key'];
    await put(Object.fromEntries(names.map((name) => [name, `of ${name}`])));
    await put({ 'secrets/deep/er': 'x', 'run.log': 'x', 'node_modules/m/z.js': 'x' });
    execFileSync('chmod', ['600', join(project, '.env')]);
    const { worktree, notes } = await make();
    for (const name of names)
      expect(readFileSync(join(worktree.path, name), 'utf8')).toBe(`of ${name}`);
    expect(statSync(join(worktree.path, '.env')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(worktree.path, 'secrets/deep/er'))).toBe(true);
    expect(existsSync(join(worktree.path, 'node_modules'))).toBe(false);
    expect(existsSync(join(worktree.path, 'run.log'))).toBe(false);
    expect(notes).toEqual([]);
    expect(git(worktree.path, 'status', '--porcelain')).toBe('');
  });

  it('copies neither what git does not ignore, nor links, nor pipes', async () => {
    await put({ 'free.txt': 'x' });
    await put({ 'mine.txt': 'x' }, folder);
    await symlink(join(folder, 'mine.txt'), join(project, 'l.key'));
    await mkdir(join(folder, 'more'));
    await put({ 'in.key': 'x' }, join(folder, 'more'));
    await symlink(join(folder, 'more'), join(project, 'secrets'));
    execFileSync('mkfifo', [join(project, 'p.key')]);
    const { worktree, notes } = await make();
    for (const name of ['free.txt', 'l.key', 'secrets', 'p.key'])
      expect(existsSync(join(worktree.path, name))).toBe(false);
    expect(notes).toEqual([
      'Not in the worktree: free.txt (git does not ignore them).',
      'Not in the worktree: l.key (they are links or behind one).',
    ]);
  });

  it.each<[string, Settings, readonly string[]]>([
    ['./x', { rules: rules('deny', 'Read(./.env)') }, ['.env']],
    ['a name alone', { rules: rules('deny', 'Read(.env)') }, ['.env']],
    ['/x', { rules: rules('deny', 'Read(/secrets/**)') }, ['secrets/one']],
    ['a pattern', { rules: rules('deny', 'Read(**/*.key)') }, ['sub/b.key']],
    ['a question', { rules: rules('ask', 'Read(./.env)') }, ['.env']],
    ['all files', { rules: rules('deny', 'Read') }, ['.env', 'secrets/one', 'sub/b.key']],
  ])('copies nothing that a rule keeps from being read: %s', async (_, settings, denied) => {
    const names = ['.env', 'secrets/one', 'sub/b.key'];
    await put(Object.fromEntries(names.map((name) => [name, 'x'])));
    const { worktree, notes } = await make(settings);
    const there = names.filter((name) => existsSync(join(worktree.path, name)));
    expect(there).toEqual(names.filter((name) => !denied.includes(name)));
    expect(notes).toEqual([
      `Not in the worktree: ${denied.join(', ')} (they may not be read unasked: a rule, the sandbox or their place forbids it).`,
    ]);
  });

  it('copies nothing that a rule names by its whole path, nor another name of that file', async () => {
    await put({ '.env': 'x', 'secrets/one': 'x' });
    await link(join(project, '.env'), join(project, 'other.key'));
    const denial = rules('deny', `Read(/${join(project, '.env')})`);
    const { worktree } = await make({ rules: denial });
    expect(existsSync(join(worktree.path, '.env'))).toBe(false);
    expect(existsSync(join(worktree.path, 'other.key'))).toBe(false);
    expect(existsSync(join(worktree.path, 'secrets/one'))).toBe(true);
  });

  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['a file', ['.env'], [], false],
    ['a folder', [''], [], false],
    ['a pattern', ['**/.e*'], [], false],
    ['a folder, but not the project in it', ['..'], [''], true],
    ['a file in a folder that may be read', ['..', '.env'], [''], false],
  ])('copies nothing that the sandbox hides: %s', async (_, denyRead, allowRead, copied) => {
    await put({ '.env': 'x' });
    const at = (name: string) => join(project, name).replace(/\/$/, '');
    const sandbox = { denyRead: denyRead.map(at), allowRead: allowRead.map(at) };
    const { worktree } = await make({ sandbox } as unknown as Settings);
    expect(existsSync(join(worktree.path, '.env'))).toBe(copied);
  });

  it('copies no file with credentials that the sandbox withholds', async () => {
    await put({ '.env': 'x', 'secrets/one': 'x' });
    const sandbox = { denyRead: [], allowRead: [], credentialFiles: [join(project, '.env')] };
    const { worktree } = await make({ sandbox } as unknown as Settings);
    expect(existsSync(join(worktree.path, '.env'))).toBe(false);
    expect(existsSync(join(worktree.path, 'secrets/one'))).toBe(true);
  });

  it('copies no more files and bytes than fit, and says what is left out', async () => {
    const names = Array.from({ length: 1_002 }, (_, i) => `secrets/${String(i).padStart(4, '0')}`);
    await put(Object.fromEntries(names.map((name) => [name, 'x'])));
    await put({ 'a.key': '' });
    await truncate(join(project, 'a.key'), 101 * 1024 * 1024);
    const { worktree, notes } = await make();
    expect(existsSync(join(worktree.path, 'secrets/0999'))).toBe(true);
    expect(existsSync(join(worktree.path, 'secrets/1000'))).toBe(false);
    expect(notes).toEqual([
      'Not in the worktree: a.key (more than 100 MB together).',
      'Not in the worktree: secrets/1000, secrets/1001 (more than 1000 files).',
    ]);
    // So many copies are no work either.
    expect(await removeUnchanged(services, project, worktree)).toBeNull();
  });

  it('writes nothing over and nothing through a link of the commit it began at', async () => {
    await rm(join(project, '.gitignore'));
    await symlink(folder, join(project, 'secrets'));
    await put({ 'sub/c.key': 'committed' });
    commit();
    git(project, 'update-ref', 'refs/remotes/origin/HEAD', 'HEAD');
    git(project, 'rm', '-q', '--cached', 'sub/c.key', 'secrets');
    await rm(join(project, 'secrets'));
    await put({ '.gitignore': '*.key\nsecrets/\n', 'secrets/one': 'x', 'sub/c.key': 'changed' });
    commit();
    const { worktree, notes } = await make();
    expect(existsSync(join(folder, 'one'))).toBe(false);
    expect(readFileSync(join(worktree.path, 'sub/c.key'), 'utf8')).toBe('committed');
    expect(notes.slice(1)).toEqual([
      'Not in the worktree: secrets/one (a link is in their place).',
      'Not in the worktree: sub/c.key (the worktree has them as they were committed).',
    ]);
  });

  it('takes back copies that are not ignored where the worktree begins', async () => {
    await put({ '.gitignore': '' });
    commit();
    git(project, 'update-ref', 'refs/remotes/origin/HEAD', 'HEAD');
    await put({ '.gitignore': '.env\n', '.env': 'x' });
    commit();
    const { worktree, notes } = await make();
    expect(existsSync(join(worktree.path, '.env'))).toBe(false);
    expect(notes[1]).toContain('.env (git does not ignore them at the commit it began at)');
    expect(await removeUnchanged(services, project, worktree)).toBeNull();
  });

  it('is not followed where it is a link, and not waited for where it is a pipe', async () => {
    await put({ '.env': 'x' });
    await rename(join(project, '.worktreeinclude'), join(folder, 'patterns'));
    await symlink(join(folder, 'patterns'), join(project, '.worktreeinclude'));
    const first = await make();
    expect(existsSync(join(first.worktree.path, '.env'))).toBe(false);
    expect(first.notes[0]).toContain('.worktreeinclude (it is a link');
    await rm(join(project, '.worktreeinclude'));
    execFileSync('mkfifo', [join(project, '.worktreeinclude')]);
    expect((await make({}, 'second')).notes).toEqual(first.notes);
  });

  it('counts from the root of the repository, also for a project below it', async () => {
    await put({ '.env': 'x', 'sub/c.key': 'x' });
    const { worktree, notes } = await make({}, 'try', join(project, 'sub'));
    expect(existsSync(join(worktree.path, 'sub/c.key'))).toBe(true);
    // Outside the project nothing is read unasked.
    expect(existsSync(join(worktree.path, '.env'))).toBe(false);
    expect(notes).toHaveLength(1);
    expect(await removeUnchanged(services, join(project, 'sub'), worktree)).toBeNull();
  });
});

describe('copies at the end', () => {
  const cases: readonly [string, (path: string) => unknown, string | null][] = [
    ['as they were', () => {}, null],
    ['when the project has changed since', () => put({ '.env': 'B=2' }), null],
    ['when one was removed', (path) => rm(join(path, '.env')), null],
    ['when one was changed', (path) => appendFile(join(path, '.env'), 'more'), '.env'],
    [
      'when one was changed where programs make files',
      (path) => appendFile(join(path, 'build/local'), 'more'),
      'build/local',
    ],
    ['when a file came to them', (path) => put({ 'secrets/new': 'x' }, path), 'secrets/new'],
  ];
  it.each(cases)('%s', async (_, act, held) => {
    await put({ '.env': 'A=1', 'build/local': 'x', 'secrets/one': 'x' });
    const { worktree } = await make();
    await act(worktree.path);
    const why = held === null ? null : `it holds files that git ignores (${held})`;
    expect(await removeUnchanged(services, project, worktree)).toBe(why);
    expect(existsSync(worktree.path)).toBe(held !== null);
  });
});

describe('worktree.symlinkDirectories', () => {
  it('links folders that git ignores, unseen by git in the worktree', async () => {
    await put({ 'node_modules/m/z.js': 'x', 'sub/data/d [1]*?/f': 'x' });
    const wanted = ['node_modules/', './sub/data', 'node_modules'];
    const { worktree, notes } = await make(linking(...wanted));
    expect(notes).toEqual([]);
    expect(lstatSync(join(worktree.path, 'node_modules')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(worktree.path, 'node_modules/m/z.js'), 'utf8')).toBe('x');
    git(worktree.path, 'add', '-A');
    expect(git(worktree.path, 'status', '--porcelain')).toBe('');
    // A second worktree does not say it again.
    await make(linking(...wanted), 'second');
    const exclude = readFileSync(join(project, '.git/info/exclude'), 'utf8');
    expect(exclude.match(/^\/node_modules$/gm)).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['../x', 'the path is not that of a folder in the repository'],
    ['sub/../../x', 'the path is not that of a folder in the repository'],
    ['/etc', 'the path is not that of a folder in the repository'],
    ['~/x', 'the path is not that of a folder in the repository'],
    ['.git', 'the path is not that of a folder in the repository'],
    ['.claude', 'the path is not that of a folder in the repository'],
    ['.', 'the path is not that of a folder in the repository'],
    ['a\nb', 'the path is not that of a folder in the repository'],
    ['missing', 'there is no such folder'],
    ['a.txt', 'it is no folder'],
    ['away', 'it is a link or behind one'],
    ['away/in', 'it is a link or behind one'],
    ['sub', 'git does not ignore it'],
    ['new', 'git does not ignore it'],
    ['data', 'the worktree has it as it was committed'],
    ['build/data', 'the worktree has no folder that it could be in'],
  ])('refuses %j, and says so', async (name, why) => {
    await put({ 'in/f': 'x', 'x/f': 'x' }, folder);
    await symlink(folder, join(project, 'away'));
    await put({ 'new/f': 'x', 'build/data/f': 'x', 'data/f': 'x' });
    git(project, 'add', '-f', 'data/f');
    git(project, 'commit', '-q', '-m', 'data');
    git(project, 'update-ref', 'refs/remotes/origin/HEAD', 'HEAD');
    git(project, 'rm', '-q', '-r', '--cached', 'data');
    git(project, 'commit', '-q', '-m', 'no data');
    const settings = { baseRef: 'fresh', symlinkDirectories: [name] } as const;
    const { worktree, notes } = await make({ worktree: settings });
    expect(notes.at(-1)).toContain(`(${why})`);
    expect(notes.at(-1)).not.toContain('\n');
    const there = lstatSync(join(worktree.path, name), { throwIfNoEntry: false });
    if (!name.includes('.') && !/^[~/]/.test(name))
      expect(there?.isSymbolicLink() ?? false).toBe(false);
  });

  it.each(['removeUnchanged', 'discardWorktree'] as const)(
    'loses nothing behind a link: %s',
    async (how) => {
      await put({ 'node_modules/m/z.js': 'x', 'data/d': 'x' });
      const { worktree } = await make(linking('node_modules', 'data'));
      await put({ 'data/found': 'x' }, worktree.path);
      const act = how === 'removeUnchanged' ? removeUnchanged : discardWorktree;
      expect(await act(services, project, worktree)).toBeNull();
      expect(existsSync(worktree.path)).toBe(false);
      for (const name of ['node_modules/m/z.js', 'data/d', 'data/found'])
        expect(existsSync(join(project, name))).toBe(true);
    },
  );

  it('keeps a worktree in which work took the place of a link', async () => {
    await put({ 'data/d': 'x' });
    const { worktree } = await make(linking('data'));
    await rm(join(worktree.path, 'data'));
    await put({ 'data/own': 'x' }, worktree.path);
    expect(await removeUnchanged(services, project, worktree)).toContain('data/own');
  });

  it('takes no link that the agent made for its own, and follows none of those', async () => {
    await put({ 'data/d': 'x' });
    await put({ 'kept/k': 'x' }, folder);
    const { worktree } = await make(linking('data'));
    await rm(join(worktree.path, 'data'));
    await symlink(join(folder, 'kept'), join(worktree.path, 'data'));
    expect(await removeUnchanged(services, project, worktree)).toContain('data');
    expect(await discardWorktree(services, project, worktree)).toBeNull();
    expect(existsSync(join(folder, 'kept/k'))).toBe(true);
  });
});

describe('worktree.baseRef', () => {
  const startOf = async (baseRef: 'fresh' | 'head', at = project) => {
    const { worktree, notes } = await make(
      { worktree: { baseRef, symlinkDirectories: [] } },
      'try',
      at,
    );
    return { base: git(worktree.path, 'rev-parse', 'HEAD'), notes, worktree };
  };

  it('begins at the default branch of the remote, or at HEAD when that is asked for', async () => {
    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', project, 'clone');
    const remote = git(clone, 'rev-parse', 'HEAD');
    git(clone, 'checkout', '-q', '-b', 'feature');
    commit(clone);
    const fresh = await startOf('fresh', clone);
    expect(fresh.base).toBe(remote);
    expect(fresh.notes[0]).toContain('It begins at origin/main');
    expect(await removeUnchanged(services, clone, fresh.worktree)).toBeNull();
    const head = await startOf('head', clone);
    expect(head.base).toBe(git(clone, 'rev-parse', 'feature'));
    expect(head.notes).toEqual([]);
  });

  it('begins at HEAD where there is no remote', async () => {
    const { base, notes } = await startOf('fresh');
    expect(base).toBe(git(project, 'rev-parse', 'HEAD'));
    expect(notes).toEqual([]);
  });
});
