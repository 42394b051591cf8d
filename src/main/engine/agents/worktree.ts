import { join, relative } from 'node:path';
import { err, ok, type Result } from '../../../shared/result';
import type { SessionHooks } from '../hooks/session-hooks';
import type { Files, Locks, Programs } from '../ports';
import { SAFE_GIT } from '../prompt/git-facts';
import {
  carryFiles,
  type Git,
  isCarriedLink,
  readCarried,
  type WorktreeChoice,
} from './carried-files';
import { heldBy, heldCommits } from './worktree-contents';

/** A checkout of its own, in which a sub-agent changes files without touching those of the project. */
export interface Worktree {
  /** Absolute. */
  readonly path: string;
  /** '' where a hook made the folder: git knows nothing of it. */
  readonly branch: string;
  /** The commit it began at. */
  readonly base: string;
}

/** Hooks that make and remove worktrees in the place of git. */
export type WorktreeHooks = Pick<SessionHooks, 'has' | 'makeWorktree' | 'removeWorktree'> | null;

/** The services that worktrees need. */
export interface WorktreeServices {
  readonly files: Omit<Files, 'openAppend' | 'truncate' | 'readRange' | 'holdFolder'>;
  readonly programs: Pick<Programs, 'run'>;
  readonly locks: Pick<Locks, 'acquire'>;
}

/** A checkout of a huge repository takes its time. Milliseconds. */
const CHECKOUT_MS = 300_000;
/** A line for each file of it, at most. Bytes. */
const MAX_OUTPUT = 64_000_000;

/** A worktree that was made, and sentences on what is not in it as one may expect. */
export interface MadeWorktree {
  readonly worktree: Worktree;
  readonly notes: readonly string[];
}

/**
 * Makes a worktree of the repository that holds `project`, below `.claude/worktrees/`, on a branch of its own at the commit
 * that `choice` says, or on that branch as it was left; or has a hook make a folder. The error is for the model. Only for
 * trusted folders: git reads what the repository configures.
 */
export async function makeWorktree(
  services: WorktreeServices,
  project: string,
  name: string,
  choice: WorktreeChoice,
  signal: AbortSignal,
  hooks: WorktreeHooks = null,
): Promise<Result<MadeWorktree, string>> {
  if (hooks?.has('WorktreeCreate')) {
    const made = await hooks.makeWorktree(name, signal);
    return made.ok ? ok({ worktree: { path: made.value, branch: '', base: '' }, notes: [] }) : made;
  }
  const git = gitIn(services, project, signal);
  const head = await git('rev-parse', '--verify', 'HEAD');
  if (!head.ok) {
    return err(`A worktree needs a git repository with a commit (${head.error}).`);
  }
  const folder = join(project, '.claude', 'worktrees');
  const real = await services.files.realPath(folder);
  // A link there would lead the agent out of the project.
  if (!real.ok || real.value !== folder) return err(`${folder} is a link; remove it.`);
  // Git must not see the checkouts as new files of the project.
  const hidden = await services.files.write(join(folder, '.gitignore'), '*\n');
  if (!hidden.ok) return err(`There can be no worktree: ${hidden.error.message}`);
  const path = join(folder, name);
  const branch = `worktree-${name}`;
  return oneAtATime(services, git, signal, async () => {
    const isThere = (await services.files.stat(path)).ok;
    if (isThere && (await isUnfinished(services, path)))
      return err(`git has not finished ${path}, or was ended. Remove it if nobody works there.`);
    const before = await git('merge-base', 'HEAD', `refs/heads/${branch}`);
    if (before.ok) {
      // A worktree of that name was there: git may not know yet that its folder is gone.
      if (!isThere) await git('worktree', 'remove', path);
      const again = await git('worktree', 'add', '-q', path, branch);
      if (!again.ok) return failed(again.error, isThere, false);
      return filled({ path, branch, base: before.value }, []);
    }
    const hasBranch = (await git('rev-parse', '--verify', `refs/heads/${branch}`)).ok;
    const start = await startingPoint(git, choice, head.value);
    const added = await git('worktree', 'add', '-q', '-b', branch, path, start.commit);
    if (!added.ok) return failed(added.error, isThere, !hasBranch);
    return filled({ path, branch, base: start.commit }, start.notes);
  });

  /** Takes back what git made before it was ended: a checkout that is not whole would look like one that is. */
  async function failed(why: string, wasThere: boolean, isNewBranch: boolean) {
    const afterwards = gitIn(services, project, new AbortController().signal);
    // Twice, because git locks what it is making.
    if (!wasThere && (await services.files.stat(path)).ok)
      await afterwards('worktree', 'remove', '--force', '--force', path);
    if (isNewBranch) await afterwards('branch', '-D', branch);
    return err(notMade(why));
  }

  async function filled(worktree: Worktree, notes: readonly string[]) {
    const root = await git('rev-parse', '--show-toplevel');
    if (!root.ok) return ok({ worktree, notes });
    const carried = await carryFiles({
      ...{ files: services.files, root: root.value, path, choice, signal },
      atRoot: gitIn(services, root.value, signal),
      inside: gitIn(services, path, signal),
    });
    return ok({ worktree, notes: [...notes, ...carried] });
  }
}

/** Returns the commit that a new worktree begins at: of the remote's default branch, as git last fetched it, or HEAD. */
async function startingPoint(git: Git, { baseRef }: WorktreeChoice, head: string) {
  const remote = 'refs/remotes/origin/HEAD';
  const fresh =
    baseRef === 'fresh' ? await git('rev-parse', '--verify', `${remote}^{commit}`) : null;
  if (!fresh?.ok || fresh.value === head) return { commit: head, notes: [] };
  const name = await git('rev-parse', '--abbrev-ref', remote);
  const called = name.ok ? name.value : 'origin/HEAD';
  const note = `It begins at ${called} (${fresh.value.slice(0, 10)}), not at the commit that is checked out in the project (${head.slice(0, 10)}); the setting worktree.baseRef decides that.`;
  return { commit: fresh.value, notes: [note] };
}

const notMade = (why: string) => `git could not make a worktree: ${why}`;

/** Runs `act` while nobody else makes or removes a worktree of the repository: git's own commands disturb one another. */
async function oneAtATime<T>(
  { locks }: Pick<WorktreeServices, 'locks'>,
  git: Git,
  signal: AbortSignal,
  act: () => Promise<Result<T, string>>,
): Promise<Result<T, string>> {
  const folder = await git('rev-parse', '--path-format=absolute', '--git-common-dir');
  if (!folder.ok) return folder;
  const release = await locks.acquire(join(folder.value, 'lathe-worktrees.lock'), signal);
  if (!release.ok) return err('It was stopped before git made a worktree.');
  try {
    return await act();
  } finally {
    await release.value();
  }
}

/** Returns the folder of a worktree that stands for the project's: a project can be a subfolder of its repository. */
export async function startIn(
  services: Pick<WorktreeServices, 'files' | 'programs'>,
  project: string,
  { path, branch }: Worktree,
  signal: AbortSignal,
): Promise<string> {
  if (branch === '') return path;
  const prefix = await gitIn(services, project, signal)('rev-parse', '--show-prefix');
  const folder = prefix.ok ? join(path, prefix.value, '/').replace(/[\\/]$/, '') : path;
  const found = await services.files.stat(folder);
  return found.ok && found.value.kind === 'directory' ? folder : path;
}

/** Returns the name and the folder of the worktree of a project that a path is in; null when it is in none. Pure. */
export function worktreeAround(
  project: string,
  path: string,
): { readonly name: string; readonly path: string } | null {
  const all = join(project, '.claude', 'worktrees');
  const [name = ''] = relative(all, path).split(/[\\/]/);
  return name === '' || name === '..' || name === '.' ? null : { name, path: join(all, name) };
}

/** Returns the words for the branch of a worktree, in brackets; none where git knows nothing of it. */
export const branchText = ({ branch }: Worktree): string =>
  branch === '' ? '' : ` (branch ${branch})`;

/** Returns whether a worktree is still on disk. */
export const hasWorktree = async ({ files }: WorktreeServices, { path, branch }: Worktree) => {
  const found = await files.stat(branch === '' ? path : join(path, '.git'));
  return found.ok;
};

/** Tells whether git is still making a worktree, or was ended before it had. */
async function isUnfinished(services: WorktreeServices, path: string): Promise<boolean> {
  if (!(await services.files.stat(join(path, '.git'))).ok) return false;
  const git = gitIn(services, path, new AbortController().signal);
  const own = await git('rev-parse', '--absolute-git-dir');
  const why = own.ok ? await services.files.read(join(own.value, 'locked'), 64) : own;
  return why.ok && new TextDecoder().decode(why.value).trim() === 'initializing';
}

/**
 * Removes a worktree in which nothing would be lost; returns why it stays otherwise, and null when it is gone. Its branch goes
 * with it. `hookSignal` ends a hook that removes it.
 */
export async function removeUnchanged(
  services: WorktreeServices,
  project: string,
  worktree: Worktree,
  hooks: WorktreeHooks = null,
  hookSignal = new AbortController().signal,
): Promise<string | null> {
  if (worktree.branch === '') {
    if (!hooks?.has('WorktreeRemove')) return 'a hook made it';
    await hooks.removeWorktree(worktree.path, hookSignal);
    return (await hasWorktree(services, worktree)) ? 'the hook left it' : null;
  }
  const { signal } = new AbortController();
  const outside = gitIn(services, project, signal);
  const isThere = (await services.files.stat(worktree.path)).ok;
  // Git would look at the project from there.
  if (isThere && !(await hasWorktree(services, worktree))) return 'git does not know it any more';
  const inside = gitIn(services, worktree.path, signal);
  const root = await outside('rev-parse', '--show-toplevel');
  const from = root.ok ? root.value : project;
  const why = isThere
    ? await heldBy(services.files, from, worktree, inside)
    : await heldCommits(worktree, outside, [`refs/heads/${worktree.branch}`]);
  if (why !== null) return isThere ? why : `its folder is gone, but ${why}`;
  const removed = await oneAtATime(services, outside, signal, async () => {
    if (isThere) await unlinkCarried(services.files, from, worktree.path, inside);
    // Without force: git keeps what it would lose.
    return outside('worktree', 'remove', worktree.path);
  });
  if (!removed.ok && isThere) return removed.error;
  await outside('branch', '-D', worktree.branch);
  return null;
}

/** Removes the links to folders of the project, so that nothing that removes the worktree can go through one. */
async function unlinkCarried(
  files: Pick<Files, 'list' | 'realPath' | 'read' | 'remove'>,
  root: string,
  path: string,
  inside: Git,
): Promise<void> {
  const { linked } = await readCarried(files, inside);
  for (const name of linked)
    if (await isCarriedLink(files, root, path, name)) await files.remove(join(path, name));
}

const gitIn =
  ({ programs }: Pick<WorktreeServices, 'programs'>, cwd: string, signal: AbortSignal): Git =>
  async (...args) => {
    // A filter of the repository's can hang, and would outlive git.
    const options = { cwd, maxBytes: MAX_OUTPUT, timeoutMs: CHECKOUT_MS, asGroup: true } as const;
    const result = await programs.run([...SAFE_GIT, ...args], options, signal);
    if (!result.ok) return err(result.error.message);
    const { exitCode, stdout, stderr, truncated } = result.value;
    if (truncated) return err('it printed more than fits');
    if (exitCode !== 0) return err(stderr.trim().slice(0, 500) || `git ended with ${exitCode}`);
    return ok(new TextDecoder().decode(stdout).trimEnd());
  };

/** Finds a worktree of a project by its name, with the commit at which it left the project's; null when there is none. */
export async function findWorktree(
  services: WorktreeServices,
  project: string,
  name: string,
): Promise<Worktree | null> {
  const path = join(project, '.claude', 'worktrees', name);
  const real = await services.files.realPath(path);
  const branch = `worktree-${name}`;
  if (!real.ok || real.value !== path || !(await hasWorktree(services, { path, branch, base: '' })))
    return null;
  if (await isUnfinished(services, path)) return null;
  const git = gitIn(services, project, new AbortController().signal);
  const base = await git('merge-base', 'HEAD', `refs/heads/${branch}`);
  return { path, branch, base: base.ok ? base.value : '' };
}

/** Removes a worktree with all that was changed and committed in it. Only after a user said so. */
export async function discardWorktree(
  services: WorktreeServices,
  project: string,
  { path, branch }: Worktree,
): Promise<string | null> {
  const { signal } = new AbortController();
  const git = gitIn(services, project, signal);
  const root = await git('rev-parse', '--show-toplevel');
  const removed = await oneAtATime(services, git, signal, async () => {
    const inside = gitIn(services, path, signal);
    await unlinkCarried(services.files, root.ok ? root.value : project, path, inside);
    return git('worktree', 'remove', '--force', path);
  });
  if (!removed.ok) return removed.error;
  await git('branch', '-D', branch);
  return null;
}
