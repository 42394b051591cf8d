import { join } from 'node:path';
import { err, ok, type Result } from '../../../shared/result';
import type { SessionHooks } from '../hooks/session-hooks';
import type { Files, Programs } from '../ports';
import { SAFE_GIT } from '../prompt/git-facts';

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
  readonly files: Pick<Files, 'write' | 'realPath' | 'stat'>;
  readonly programs: Pick<Programs, 'run'>;
}

/** A checkout of a huge repository takes its time. Milliseconds. */
const CHECKOUT_MS = 300_000;
const MAX_OUTPUT = 1_000_000;

/**
 * Makes a worktree of the repository that holds `project`, below `.claude/worktrees/`, on a new branch at its commit; or
 * has a hook make a folder. The error is for the model. Only for trusted folders: git reads what the repository configures.
 */
export async function makeWorktree(
  services: WorktreeServices,
  project: string,
  name: string,
  signal: AbortSignal,
  hooks: WorktreeHooks = null,
): Promise<Result<Worktree, string>> {
  if (hooks?.has('WorktreeCreate')) {
    const made = await hooks.makeWorktree(name, signal);
    return made.ok ? ok({ path: made.value, branch: '', base: '' }) : made;
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
  const added = await git('worktree', 'add', '-q', '-b', branch, path, head.value);
  return added.ok
    ? ok({ path, branch, base: head.value })
    : err(`git could not make a worktree: ${added.error}`);
}

/** Returns the words for the branch of a worktree, in brackets; none where git knows nothing of it. */
export const branchText = ({ branch }: Worktree): string =>
  branch === '' ? '' : ` (branch ${branch})`;

/** Returns whether a worktree is still on disk. */
export const hasWorktree = async ({ files }: WorktreeServices, { path, branch }: Worktree) => {
  const found = await files.stat(branch === '' ? path : join(path, '.git'));
  return found.ok;
};

/** Removes a worktree in which nothing was changed or committed; returns why it stays otherwise, and null when it is gone. */
export async function removeUnchanged(
  services: WorktreeServices,
  project: string,
  worktree: Worktree,
  hooks: WorktreeHooks = null,
): Promise<string | null> {
  if (worktree.branch === '') {
    if (!hooks?.has('WorktreeRemove')) return 'a hook made it';
    await hooks.removeWorktree(worktree.path);
    return (await hasWorktree(services, worktree)) ? 'the hook left it' : null;
  }
  const { signal } = new AbortController();
  const git = gitIn(services, worktree.path, signal);
  const [changes, head] = await Promise.all([
    git('status', '--porcelain', '--untracked-files=all'),
    git('rev-parse', 'HEAD'),
  ]);
  if (!changes.ok || !head.ok) return `git could not say what changed in it`;
  if (changes.value !== '') return 'it holds changes that are not committed';
  if (head.value !== worktree.base) return 'it holds commits';
  const outside = gitIn(services, project, signal);
  // Without force: git keeps what it would lose.
  const removed = await outside('worktree', 'remove', worktree.path);
  if (!removed.ok) return removed.error;
  await outside('branch', '-d', worktree.branch);
  return null;
}

/** Returns a function that runs git in a folder and gives what it printed, or its complaint. */
const gitIn =
  ({ programs }: WorktreeServices, cwd: string, signal: AbortSignal) =>
  async (...args: readonly string[]): Promise<Result<string, string>> => {
    const options = { cwd, maxBytes: MAX_OUTPUT, timeoutMs: CHECKOUT_MS };
    const result = await programs.run([...SAFE_GIT, ...args], options, signal);
    if (!result.ok) return err(result.error.message);
    const { exitCode, stdout, stderr } = result.value;
    if (exitCode !== 0) return err(stderr.trim().slice(0, 500) || `git ended with ${exitCode}`);
    return ok(new TextDecoder().decode(stdout).trim());
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
  const git = gitIn(services, project, new AbortController().signal);
  const base = await git('merge-base', 'HEAD', branch);
  return base.ok ? { path, branch, base: base.value } : null;
}

/** Removes a worktree with all that was changed and committed in it. Only after a person said so. */
export async function discardWorktree(
  services: WorktreeServices,
  project: string,
  { path, branch }: Worktree,
): Promise<string | null> {
  const git = gitIn(services, project, new AbortController().signal);
  const removed = await git('worktree', 'remove', '--force', path);
  if (!removed.ok) return removed.error;
  await git('branch', '-D', branch);
  return null;
}
