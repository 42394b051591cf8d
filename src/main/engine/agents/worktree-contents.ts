import { join } from 'node:path';
import type { SubAgentInfo } from '../../../shared/agent-event';
import type { Files } from '../ports';
import { type CarriedFiles, digestOf, type Git, isCarriedLink, readCarried } from './carried-files';

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
const MAX_COMPARED = 2_000;
/** Larger files are not compared. Bytes. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;
/** Nor are larger ones that it was given. Bytes. */
const MAX_GIVEN_BYTES = 128 * 1024 * 1024;
/** Files that are named as held. */
const MAX_NAMED = 3;
/** Commits that a worktree was at and that are looked at, newest first. */
const MAX_VISITED = 500;

/**
 * Returns what would be lost with the folder and the branch of a worktree, as a clause; null: nothing. `git` runs in it, `root`
 * is that of the repository it belongs to.
 */
export async function heldBy(
  files: ContentFiles,
  root: string,
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
    (await heldCommits(worktree, git, tips)) ?? (await heldIgnored(files, root, worktree, git))
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
 * clause; null: none are. What it was given when it was made is no work as long as nobody changed it.
 */
async function heldIgnored(
  files: ContentFiles,
  root: string,
  { path }: Worktree,
  git: Git,
): Promise<string | null> {
  const ignored = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'];
  const carried = await readCarried(files, git);
  const compare: Comparison = { files, root, path, carried };
  // Also where programs make files again: these were given to it.
  const given = Object.keys(carried.copied).filter((name) => !isWork(name));
  const changed = await changedAmong(compare, given);
  if (changed.length > 0) return heldText(changed);
  const all = await git(...ignored, '--directory');
  if (!all.ok) return 'git could not say which files in it are ignored';
  const own = namesIn(all.value).filter(isWork);
  if (own.length === 0) return null;
  const why = heldText(own);
  if (own.length > MAX_COMPARED) return why;
  const listed = await git(...ignored, '--', ...own.map((name) => `:(literal)${name}`));
  const each = listed.ok ? namesIn(listed.value) : [];
  if (!listed.ok || each.length > MAX_COMPARED) return why;
  const work = await changedAmong(compare, each.filter(isWork));
  return work.length === 0 ? null : heldText(work);
}

/** Returns the first of those files that are changed, one more than are named. */
async function changedAmong(
  compare: Comparison,
  names: readonly string[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const name of names) {
    if (changed.length > MAX_NAMED) break;
    if (await isChanged(compare, name)) changed.push(name);
  }
  return changed;
}

type ContentFiles = Pick<Files, 'read' | 'list' | 'realPath'>;

/** The inputs of a comparison of ignored files: the worktree, and what it was made from. */
interface Comparison {
  readonly files: ContentFiles;
  readonly root: string;
  readonly path: string;
  readonly carried: CarriedFiles;
}

/** Tells whether an ignored file is there and neither as it was given to the worktree nor as the project has it. */
async function isChanged(
  { files, root, path, carried }: Comparison,
  name: string,
): Promise<boolean> {
  if (carried.linked.includes(name)) return !(await isCarriedLink(files, root, path, name));
  const given = Object.hasOwn(carried.copied, name) ? carried.copied[name] : undefined;
  const limit = given === undefined ? MAX_COMPARED_BYTES : MAX_GIVEN_BYTES;
  const here = await files.read(join(path, name), limit);
  if (!here.ok) return given === undefined || here.error.code !== 'not_found';
  if (given !== undefined && given === digestOf(here.value)) return false;
  const there = await files.read(join(root, name), limit);
  return !there.ok || Buffer.compare(here.value, there.value) !== 0;
}

const heldText = (names: readonly string[]): string => {
  const named = names.slice(0, MAX_NAMED).join(', ') + (names.length > MAX_NAMED ? ', …' : '');
  return `it holds files that git ignores (${named})`;
};

const namesIn = (list: string): readonly string[] => list.split('\0').filter((name) => name !== '');

const isWork = (name: string): boolean =>
  !MADE_AGAIN_FILE.test(name) && !name.split('/').some((part) => MADE_AGAIN.has(part));
