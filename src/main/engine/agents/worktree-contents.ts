import { join } from 'node:path';
import type { SubAgentInfo } from '../../../shared/agent-event';
import type { Result } from '../../../shared/result';
import type { Files } from '../ports';

/** Runs git in one folder and gives what it printed, or its complaint. */
export type Git = (...args: readonly string[]) => Promise<Result<string, string>>;

type Worktree = NonNullable<SubAgentInfo['worktree']>;

/** Folders of what programs make again by themselves: where git ignores them, nobody's work is in them. */
const MADE_AGAIN: ReadonlySet<string> = new Set(
  (
    'node_modules bower_components vendor target build dist out coverage __pycache__ venv .venv .tox .nox .eggs .cache ' +
    '.next .nuxt .output .svelte-kit .parcel-cache .turbo .vite .angular .gradle .mypy_cache .pytest_cache .ruff_cache ' +
    '.terraform .dart_tool Pods DerivedData bin obj _build deps .stack-work elm-stuff zig-cache .zig-cache .nyc_output'
  ).split(' '),
);
/** Files of that kind. */
const MADE_AGAIN_FILE =
  /(^|\/)(\.DS_Store|Thumbs\.db|\.eslintcache|[^/]*\.(pyc|pyo|class|o|obj|tsbuildinfo))$/;

/** More ignored files than these are not compared one by one. */
const MAX_COMPARED = 500;
/** Larger files are not compared. Bytes. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;
/** Commits that a worktree was at and that are looked at, newest first. */
const MAX_VISITED = 500;

/** Returns what would be lost with the folder and the branch of a worktree, as a clause; null: nothing. `git` runs in it. */
export async function heldBy(
  files: Pick<Files, 'read'>,
  project: string,
  worktree: Worktree,
  git: Git,
): Promise<string | null> {
  const [changes, marked, sparse, visited] = await Promise.all([
    git('status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=none'),
    git('ls-files', '-v'),
    git('config', '--get', '--bool', 'core.sparseCheckout'),
    git('log', '-g', '--format=%H', '-n', String(MAX_VISITED), 'HEAD', '--'),
  ]);
  if (!changes.ok || !marked.ok) return 'git could not say what changed in it';
  // Files that git was told not to look at, changed or not. Those that are left out of a sparse checkout are marked, too.
  const unseen = sparse.ok && sparse.value === 'true' ? /^[a-z] /m : /^[a-zS] /m;
  if (changes.value !== '' || unseen.test(marked.value))
    return 'it holds changes that are not committed';
  const been = visited.ok ? visited.value.split('\n').filter((hash) => hash !== '') : [];
  const tips = [...new Set(['HEAD', `refs/heads/${worktree.branch}`, ...been])];
  return (
    (await heldCommits(worktree, git, tips)) ?? (await heldIgnored(files, project, worktree, git))
  );
}

/** Returns that commits reachable from `tips` are on no branch or tag but the worktree's own, as a clause; null: none are. */
export async function heldCommits(
  { branch, base }: Worktree,
  git: Git,
  tips: readonly string[],
): Promise<string | null> {
  const found = await git(
    ...[
      'rev-list',
      '-n',
      '1',
      '--ignore-missing',
      ...tips,
      '--not',
      ...(base === '' ? [] : [base]),
    ],
    ...[`--exclude=${branch}`, '--branches', '--tags', `--exclude=*/${branch}`, '--remotes', '--'],
  );
  if (!found.ok) return 'git could not say what is committed in it';
  return found.value === '' ? null : 'it holds commits';
}

/**
 * Returns that ignored files are in it which nothing makes again and which the project does not have as they are, as a
 * clause; null: none are.
 */
async function heldIgnored(
  files: Pick<Files, 'read'>,
  project: string,
  { path }: Worktree,
  git: Git,
): Promise<string | null> {
  const ignored = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'];
  const all = await git(...ignored, '--directory');
  if (!all.ok) return 'git could not say which files in it are ignored';
  const own = namesIn(all.value).filter(isWork);
  if (own.length === 0) return null;
  const named = own.slice(0, 3).join(', ') + (own.length > 3 ? ', …' : '');
  const why = `it holds files that git ignores (${named})`;
  if (own.length > MAX_COMPARED) return why;
  const listed = await git(...ignored, '--', ...own.map((name) => `:(literal)${name}`));
  const each = listed.ok ? namesIn(listed.value) : [];
  if (!listed.ok || each.length > MAX_COMPARED) return why;
  for (const name of each.filter(isWork)) {
    const [here, there] = await Promise.all(
      [path, project].map((root) => files.read(join(root, name), MAX_COMPARED_BYTES)),
    );
    if (!here?.ok || !there?.ok || Buffer.compare(here.value, there.value) !== 0) return why;
  }
  return null;
}

const namesIn = (list: string): readonly string[] => list.split('\0').filter((name) => name !== '');

const isWork = (name: string): boolean =>
  !MADE_AGAIN_FILE.test(name) && !name.split('/').some((part) => MADE_AGAIN.has(part));
