import { dirname, join } from 'node:path';
import type { FolderListing } from '../../shared/contract';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Files } from '../engine/ports';

/** A folder with more than this is cut: nobody scrolls further, and typing finds the rest. */
const MAX_FOLDERS = 2000;

/** Files whose presence suggests that a folder is a project. */
const PROJECT_MARKS = new Set([
  '.git',
  'package.json',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'Makefile',
  'CMakeLists.txt',
  'Gemfile',
  'composer.json',
  'deno.json',
  'CLAUDE.md',
  'AGENTS.md',
]);

/** `~` and `~/x` as the shell has them; everything else unchanged. */
export const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;

/** The folders in a folder, links to folders included, sorted by name with hidden ones last. */
export async function listFolder(files: Files, path: string): Promise<Result<FolderListing>> {
  const entries = await files.list(path);
  if (!entries.ok) return err(fault(entries.error.code, entries.error.message, 'Choose another.'));
  const folders = await Promise.all(
    entries.value.map(async (entry) => {
      const full = join(path, entry.name);
      const isFolder =
        entry.kind === 'directory' || (entry.kind === 'link' && (await leadsToFolder(files, full)));
      return isFolder ? { name: entry.name, path: full, hidden: entry.name.startsWith('.') } : null;
    }),
  );
  const parent = dirname(path);
  return ok({
    path,
    parent: parent === path ? null : parent,
    folders: folders
      .filter((folder) => folder !== null)
      .toSorted((a, b) => Number(a.hidden) - Number(b.hidden) || a.name.localeCompare(b.name, 'en'))
      .slice(0, MAX_FOLDERS),
    looksLikeProject: entries.value.some((entry) => PROJECT_MARKS.has(entry.name)),
  });
}

async function leadsToFolder(files: Files, path: string): Promise<boolean> {
  const stat = await files.stat(path);
  return stat.ok && stat.value.kind === 'directory';
}
