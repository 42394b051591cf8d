import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Files } from '../ports';
import { addedIn } from './addable-files';
import { type HashBytes, mayNameRepositories, trackedNames } from './git-index';
import type { ShellAnalysis, TrackedFiles } from './request';
import { checkedOut } from './shell-analysis/index-changes';

/** Larger files are not looked through, and what is not looked through may run something. Bytes. */
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Hooks that git runs although it was only asked to look (githooks(5)). */
const READING_HOOKS = ['post-index-change', 'reference-transaction'] as const;

/**
 * Returns why git, run by a shell line in `cwd`, might run programs that the repository names, even
 * for a look like `git status`: its configuration, a hook, a repository inside it, a folder that
 * poses as a repository. Null when it would not, or the line does not run git. Reads files only.
 * docs/security.md 1 and 8.
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
      const gitFolder = await gitFolderOf(dotGit, stat.value, files);
      return gitFolder === null ? `${dotGit} cannot be understood` : harmOf(gitFolder, files);
    }
    if (await posesAsRepository(files, folder))
      return `${folder} is laid out like the inside of a git repository`;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * Returns the files that the repository around a folder tracks, where a command of a line may print any of them. Undefined
 * where no command does, or it cannot be told.
 */
export async function trackedFiles(
  analysis: ShellAnalysis,
  cwd: string,
  files: Files,
): Promise<TrackedFiles | undefined> {
  const printing = analysis.commands.filter(({ hides = [] }) =>
    hides.some(({ what, ofCommits }) => ofCommits || what === 'printsTracked'),
  );
  const printed = printing
    .flatMap(({ hides = [] }) => hides)
    .filter(({ what, ofCommits }) => ofCommits || what === 'printsTracked');
  const isMoved = printing.some(({ directories }) => directories !== undefined);
  if (printed.length === 0 || (isMoved && !printed.some(({ copies }) => copies))) return undefined;
  const words = [
    ...printed
      .flatMap(({ limits }) => (limits?.arePaths ? [] : (limits?.words ?? [])))
      .filter(mayBeFile),
    ...printed.flatMap(({ unlessTracked = [] }) => unlessTracked),
  ];
  const repository = await repositoryAround(cwd, files);
  const tracked = repository && (await trackedIn(repository, files));
  if (!tracked) return undefined;
  const revisions = await revisionsAmong(words, analysis, repository.gitFolder, files);
  const folders = printed.flatMap(({ folder }) => folder ?? []);
  const others = await trackedElsewhere(folders, cwd, tracked.root, files);
  const excludes = join(repository.gitFolder, 'info/exclude');
  const places = printed.flatMap(({ withAdded = [] }) => withAdded);
  const added =
    places.length > 0
      ? await addedIn(places, cwd, { ...tracked, excludes }, changesIgnored(analysis), files)
      : null;
  return {
    ...tracked,
    ...(added ? { added } : {}),
    ...(isMoved ? { isMoved } : {}),
    ...(Object.keys(others).length > 0 ? { others } : {}),
    ...(revisions.length > 0 ? { revisions } : {}),
  };
}

/** Tells whether a line may change which files git leaves out. */
const changesIgnored = ({ commands }: ShellAnalysis): boolean =>
  commands.some(({ words, writes }) =>
    [...words, ...writes].some((word) => /\.gitignore$|info\/exclude$/.test(word ?? '')),
  );

/** The folder that a repository is for, and where git keeps it. */
interface Repository {
  readonly root: string;
  readonly gitFolder: string;
}

/** Returns the repository that a folder is in; null where there is none, or it cannot be told. */
async function repositoryAround(cwd: string, files: Files): Promise<Repository | null> {
  for (let root = cwd; ; root = dirname(root)) {
    const dotGit = join(root, '.git');
    const stat = await files.stat(dotGit);
    if (stat.ok) {
      const gitFolder = await gitFolderOf(dotGit, stat.value, files);
      return gitFolder === null ? null : { root, gitFolder };
    }
    if (dirname(root) === root) return null;
  }
}

/** Returns what other repositories than that of `root` track, by the folders of them that git goes to. */
async function trackedElsewhere(
  folders: readonly string[],
  cwd: string,
  root: string,
  files: Files,
): Promise<Record<string, TrackedFiles | null>> {
  const here = await files.locate(cwd);
  const found = await Promise.all(
    [...new Set(folders)].map(async (folder) => {
      const place = resolve(cwd, folder);
      const real = await files.locate(place);
      // A link in the way leads anywhere; what is not there may be made by the line.
      const isPlain =
        here.ok &&
        real.ok &&
        real.value.realPath === resolve(here.value.realPath, relative(cwd, place)) &&
        (await files.stat(place)).ok;
      const repository = isPlain ? await repositoryAround(place, files) : null;
      if (repository?.root === root) return [];
      const tracked = repository && (await trackedIn(repository, files));
      return [[folder, tracked ?? null] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

async function trackedIn(
  { root, gitFolder }: Repository,
  files: Files,
): Promise<TrackedFiles | undefined> {
  const common = await commonFolder(gitFolder, files);
  if (common === null) return undefined;
  const config = await readText(files, join(common, 'config'));
  const text = config === null || config === 'unreadable' ? '' : config.content;
  const index = await files.read(join(gitFolder, 'index'), MAX_INDEX_BYTES);
  const isNew = !index.ok && index.error.code === 'not_found';
  const names = index.ok ? trackedNames(index.value, hashBytesIn(text)) : isNew ? [] : null;
  return names === null ? undefined : { root, names };
}

/** Subcommands that may make branches and tags. */
const MAKES_REVISIONS =
  /^(?:branch|tag|checkout|switch|fetch|push|pull|update-ref|symbolic-ref|worktree)$/;
/** Those that make them of others, by words such as `x:refs/heads/y`. */
const TAKES_REVISIONS = /^(?:fetch|push|pull)$/;
/** Where names of revisions are looked up, in this order (gitrevisions(7)). */
const REFERENCES = ['refs', 'refs/tags', 'refs/heads', 'refs/remotes'] as const;

/** Tells whether a word has an ending, as files have. */
const mayBeFile = (word: string): boolean => /^[^.:/][^:]*\.\w+$/.test(word);

/** Returns those words that name a branch or a tag, or may be made one by the line; all where it cannot be told. */
async function revisionsAmong(
  words: readonly string[],
  { commands }: ShellAnalysis,
  gitFolder: string,
  files: Files,
): Promise<readonly string[]> {
  const candidates = [...new Set(words)];
  const common = candidates.length === 0 ? null : await commonFolder(gitFolder, files);
  if (common === null || (await files.stat(join(common, 'reftable'))).ok) return candidates;
  const packed = await readText(files, join(common, 'packed-refs'));
  if (packed === 'unreadable') return candidates;
  const making = commands.filter(
    (command) =>
      checkedOut(command) === null &&
      command.words.some((word) => MAKES_REVISIONS.test(word ?? '')),
  );
  const isOpen = making.some(
    ({ words: all }) =>
      all.some((word) => TAKES_REVISIONS.test(word ?? '')) &&
      all.some((word) => word === null || /\*|^--stdin$/.test(word)),
  );
  if (isOpen) return candidates;
  const made = making.flatMap(({ words: all }) =>
    all.flatMap(
      (word) =>
        word?.split(':').map((part) => part.replace(/^\+?(?:refs\/)?(?:heads\/|tags\/)?/, '')) ??
        [],
    ),
  );
  const found = await Promise.all(
    candidates.map(async (word) => {
      const names = REFERENCES.map((folder) => `${folder}/${word}`);
      const looks = await Promise.all(names.map((name) => files.stat(join(common, name))));
      const isPacked = names.some((name) => packed?.content.includes(` ${name}\n`));
      return made.includes(word) || isPacked || looks.some(({ ok }) => ok) ? [word] : [];
    }),
  );
  return found.flat();
}

const hashBytesIn = (config: string): HashBytes =>
  /objectformat\s*=\s*sha256/i.test(config) ? 32 : 20;

/** Returns the folder of a repository's `.git`: itself, or the one that the file of a worktree or a submodule names. */
const gitFolderOf = async (
  dotGit: string,
  { kind }: { readonly kind: string },
  files: Files,
): Promise<string | null> =>
  kind === 'directory' ? dotGit : pointedTo(files, dotGit, /^gitdir: (.+)$/);

/** Returns the folder that a repository shares with its worktrees, its own where it has none; null where it cannot be told. */
async function commonFolder(gitFolder: string, files: Files): Promise<string | null> {
  const hasCommon = (await files.stat(join(gitFolder, 'commondir'))).ok;
  return hasCommon ? pointedTo(files, join(gitFolder, 'commondir'), /^(.+)$/) : gitFolder;
}

async function harmOf(gitFolder: string, files: Files): Promise<string | null> {
  const common = await commonFolder(gitFolder, files);
  if (common === null) return `${join(gitFolder, 'commondir')} cannot be understood`;
  const configs = [join(common, 'config'), join(gitFolder, 'config.worktree')];
  let hashBytes: HashBytes = 20;
  for (const config of configs) {
    const text = await readText(files, config);
    if (text === 'unreadable') return `${config} cannot be read`;
    const harm = harmIn(text?.content ?? '');
    if (harm !== null) return `${config} sets ${harm}, by which git might run something`;
    if (hashBytesIn(text?.content ?? '') === 32) hashBytes = 32;
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

/**
 * Tells whether git would take a folder without `.git` for a repository (the bare-repository
 * trick).
 */
async function posesAsRepository(files: Files, folder: string): Promise<boolean> {
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => files.stat(join(folder, name))),
  );
  return parts.every((part) => part.ok);
}

/** Returns the folder that a small text file names, relative to its own folder. */
async function pointedTo(files: Files, file: string, form: RegExp): Promise<string | null> {
  const text = await readText(files, file);
  if (text === null || text === 'unreadable') return null;
  const target = form.exec(text.content.trimEnd())?.[1];
  if (target === undefined) return null;
  return isAbsolute(target) ? target : join(dirname(file), target);
}

/** Reads a text; null when there is no such file. */
async function readText(
  files: Files,
  path: string,
): Promise<{ readonly content: string } | null | 'unreadable'> {
  const read = await files.read(path, MAX_CONFIG_BYTES);
  if (read.ok) return { content: new TextDecoder().decode(read.value) };
  return read.error.code === 'not_found' ? null : 'unreadable';
}

/**
 * Keys that make git neither run a program, nor fetch, nor look at files outside: what `git init`, `git clone` and
 * daily work leave in a repository. A list of what is allowed, for git learns new keys that run things.
 */
const HARMLESS: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|longpaths|quotepath|abbrev|untrackedcache|preloadindex|sparsecheckout|sparsecheckoutcone|whitespace|protectntfs|protecthfs|commitgraph|compression)$/,
  /^extensions\.(objectformat|refstorage|worktreeconfig|relativeworktrees|noop)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|gh-resolved)$/,
  /^branch\..+\.(remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base)$/,
  /^branch\.autosetup(merge|rebase)$/,
  /^user\.(name|email)$/,
  /^(pull|rebase|push|fetch|init|merge)\.(rebase|ff|default|autosetupremote|prune|defaultbranch|autostash|autosquash|conflictstyle)$/,
  /^color\.[a-z]+$/,
  /^(gc|maintenance)\.(auto|strategy)$/,
  /^lfs\.repositoryformatversion$/,
];

/** Tells whether a setting of git, in lower case, runs no program, whatever its value. */
export const isHarmlessGitKey = (key: string): boolean => HARMLESS.some((one) => one.test(key));

/** No value of a bare repository, or of a working tree elsewhere, is a daily thing. */
const NOT_BARE = /^core\.bare = (false|no|off|0)$/i;

const HEADER = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(?:[#;].*)?$/;
const ENTRY = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/;

/**
 * Returns the first thing in a text of git configuration that is not known to be harmless, in its
 * own words; null when all is. Lines git might read otherwise than this does (continued, or behind
 * a header) are not harmless. Pure.
 */
export function harmIn(text: string): string | null {
  let section = '';
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const header = HEADER.exec(line);
    if (header) {
      section = `${(header[1] ?? '').toLowerCase()}${header[2] === undefined ? '' : `.${header[2]}`}`;
      continue;
    }
    const entry = ENTRY.exec(line);
    if (!entry || line.endsWith('\\')) return `the line "${line.slice(0, 80)}"`;
    const key = `${section}.${(entry[1] ?? '').toLowerCase()}`;
    const known = HARMLESS.some((harmless) => harmless.test(key));
    if (!known && !NOT_BARE.test(`${key} = ${entry[2] ?? ''}`)) return key.slice(0, 80);
  }
  return null;
}
