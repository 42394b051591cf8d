import { join } from 'node:path';
import { inBatches } from '../in-batches';
import { relativeInside } from '../permissions/paths';
import type { Files } from '../ports';

/** More worktrees than these are not looked into. */
const MAX_WORKTREES = 1_000;

/**
 * Returns the paths in worktrees of a project that have the place of paths in it, as far as something is there: what a sandbox
 * hides in the project is hidden in its checkouts. A project can be a folder of its repository. Patterns reach them by themselves.
 */
export async function pathsInWorktrees(
  files: Pick<Files, 'list' | 'stat'>,
  project: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const own = paths.flatMap((path) => {
    const name = /[*?[]/.test(path) ? null : relativeInside(project, path, false);
    return name ? [name] : [];
  });
  if (own.length === 0) return [];
  const all = join(project, '.claude', 'worktrees');
  const listed = await files.list(all);
  const worktrees = listed.ok ? listed.value.filter(({ kind }) => kind === 'directory') : [];
  const parts = project.split('/').filter((part) => part !== '');
  const tails = parts.map((_, at) => parts.slice(at).join('/')).concat('');
  const there = async (wanted: readonly string[]): Promise<readonly string[]> => {
    const found = await inBatches(wanted, async (path) => (await files.stat(path)).ok);
    return wanted.filter((_, at) => found[at]);
  };
  // Few of the folders that may stand for the project are there, and each path is looked for in those alone.
  const places = await there(
    worktrees
      .slice(0, MAX_WORKTREES)
      .flatMap(({ name }) => tails.map((tail) => join(all, name, tail))),
  );
  return there(places.flatMap((place) => own.map((path) => join(place, path))));
}
