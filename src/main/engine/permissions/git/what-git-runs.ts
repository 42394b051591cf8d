import { dirname, isAbsolute, join } from 'node:path';
import type { Files } from '../../ports';
import type { ShellAnalysis } from '../request';
import { harmIn } from './harmless-config';
import { mayNameRepositories } from './index-links';

/** Larger files are not looked through, and what is not looked through may run something. Bytes. */
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Hooks that git runs although it was only asked to look (githooks(5)). */
const READING_HOOKS = ['post-index-change', 'reference-transaction'] as const;

/**
 * Why git, run by a shell line in `cwd`, might run programs that the repository names, even for a look like
 * `git status`: its configuration, a hook, a repository inside it, a folder that poses as a repository. Null when
 * it would not, or the line does not run git. Reads files only. THREATS 1 and 8.
 */
export async function whatGitRuns(
  analysis: ShellAnalysis,
  cwd: string,
  files: Files,
): Promise<string | null> {
  const runsGit = analysis.commands.some(({ words }) => words[0]?.split('/').at(-1) === 'git');
  return runsGit ? repositoryHarm(cwd, files) : null;
}

async function repositoryHarm(cwd: string, files: Files): Promise<string | null> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git');
    const stat = await files.stat(dotGit);
    if (stat.ok) {
      const gitFolder =
        stat.value.kind === 'directory' ? dotGit : await pointedTo(files, dotGit, /^gitdir: (.+)$/);
      return gitFolder === null ? `${dotGit} cannot be understood` : harmOf(gitFolder, files);
    }
    if (await posesAsRepository(files, folder))
      return `${folder} is laid out like the inside of a git repository`;
    if (dirname(folder) === folder) return null;
  }
}

async function harmOf(gitFolder: string, files: Files): Promise<string | null> {
  const hasCommon = (await files.stat(join(gitFolder, 'commondir'))).ok;
  const common = hasCommon
    ? await pointedTo(files, join(gitFolder, 'commondir'), /^(.+)$/)
    : gitFolder;
  if (common === null) return `${join(gitFolder, 'commondir')} cannot be understood`;
  const configs = [join(common, 'config'), join(gitFolder, 'config.worktree')];
  let hashBytes: 20 | 32 = 20;
  for (const config of configs) {
    const text = await readText(files, config);
    if (text === 'unreadable') return `${config} cannot be read`;
    const harm = harmIn(text?.content ?? '');
    if (harm !== null) return `${config} sets ${harm}, by which git might run something`;
    if (/objectformat\s*=\s*sha256/i.test(text?.content ?? '')) hashBytes = 32;
  }
  for (const hook of READING_HOOKS) {
    if ((await files.stat(join(common, 'hooks', hook))).ok)
      return `git would run ${join(common, 'hooks', hook)}`;
  }
  const index = await files.read(join(gitFolder, 'index'), MAX_INDEX_BYTES);
  if (!index.ok) return index.error.code === 'not_found' ? null : 'git’s index cannot be read';
  return mayNameRepositories(index.value, hashBytes)
    ? 'there are repositories inside this repository, and git would look into them'
    : null;
}

/** What git takes for a repository without `.git` (the bare-repository trick). */
async function posesAsRepository(files: Files, folder: string): Promise<boolean> {
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => files.stat(join(folder, name))),
  );
  return parts.every((part) => part.ok);
}

/** The folder that a small text file names, relative to its own folder. */
async function pointedTo(files: Files, file: string, form: RegExp): Promise<string | null> {
  const text = await readText(files, file);
  if (text === null || text === 'unreadable') return null;
  const target = form.exec(text.content.trimEnd())?.[1];
  if (target === undefined) return null;
  return isAbsolute(target) ? target : join(dirname(file), target);
}

/** A text; null when there is no such file. */
async function readText(
  files: Files,
  path: string,
): Promise<{ readonly content: string } | null | 'unreadable'> {
  const read = await files.read(path, MAX_CONFIG_BYTES);
  if (read.ok) return { content: new TextDecoder().decode(read.value) };
  return read.error.code === 'not_found' ? null : 'unreadable';
}
