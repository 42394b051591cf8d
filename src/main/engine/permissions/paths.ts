import path from 'node:path';
import type { DecisionContext } from './request';

/**
 * Disks that take several spellings for one name: macOS leaves out characters that show nothing and joins accents,
 * Windows drops dots and spaces at the end and what follows a colon. Lower case, for comparing with names to guard.
 */
const plainName = (segment: string): string =>
  segment
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(.):.*$/s, '$1')
    .replace(/(?<=[^. ])[. ]+$/, '');

/**
 * Returns the same text in the one spelling that accents have: composed. Disks of macOS do not tell
 * them apart.
 */
export const composed = (text: string): string =>
  // Most paths have no accents, and a rule is read often.
  /[\u0300-\u{10ffff}]/u.test(text) ? text.normalize('NFC') : text;

/**
 * Returns the short name that Windows gives a name beside its own: `.gitconfig` is also `GITCON~1`.
 * Lower case, without the number, as {@link shortForm} gives it for a name in use.
 */
const shortNameOf = (name: string): string =>
  name.replace(/^\.+/, '').split('.')[0]?.slice(0, 6) ?? '';

/**
 * Returns the name that a name like `git~1` abbreviates, as {@link shortNameOf} gives it; null for
 * any other name.
 */
const shortForm = (name: string): string | null =>
  /^([^.~]{1,6})~\d{1,2}(\.[^.]{0,3})?$/.exec(name)?.[1] ?? null;

/** Makes a path absolute and free of `.` and `..`; `~` is the home folder. Purely textual: links are not followed. */
export function absolutePath(asked: string, from: string, home: string): string {
  // A network path means nothing relative to a folder; it stays what it is, and is asked.
  if (asked.startsWith('\\\\')) return asked;
  if (asked === '~') return path.resolve(home);
  if (asked.startsWith('~/')) return path.resolve(home, `.${asked.slice(1)}`);
  return path.resolve(from, asked);
}

/**
 * Joins a path to a folder as text and makes it absolute, but keeps every `..`: the system follows
 * links before it goes up, so that `link/..` is not the folder the link is in.
 */
export function joinedPath(asked: string, from: string, home: string): string {
  if (asked === '~' || asked.startsWith('~/')) return home + asked.slice(1);
  return asked.startsWith('/') || asked.startsWith('\\\\') ? asked : `${from}/${asked}`;
}

/** Tells whether a path goes up by `..`, so that its text does not say where it leads. */
export const climbs = (target: string): boolean => /(^|\/)\.\.(\/|$)/.test(target);

/** No system takes a longer path (PATH_MAX of Linux). Bytes. */
export const MAX_PATH_BYTES = 4096;

/** Tells whether no system would take a path. */
export const isPathTooLong = (target: string): boolean =>
  target.length > MAX_PATH_BYTES || Buffer.byteLength(target) > MAX_PATH_BYTES;

/**
 * Returns the path from a folder to something in it, '' for the folder itself; null when it lies
 * elsewhere.
 */
export function relativeInside(folder: string, target: string, ignoreCase: boolean): string | null {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  const asked = ignoreCase ? target.toLowerCase() : target;
  const start = ignoreCase ? base.toLowerCase() : base;
  if (asked.startsWith(start)) return target.slice(base.length);
  return asked === start.slice(0, -1) ? '' : null;
}

/**
 * Returns the paths in the project that a path in one of its worktrees has the place of: what a rule denies there is denied in
 * a second checkout too. A project can be a subfolder of its repository. Empty for any other path.
 */
export function pathsStoodFor(
  target: string,
  { project, caseInsensitive }: Pick<DecisionContext, 'project' | 'caseInsensitive'>,
): readonly string[] {
  const inside = relativeInside(`${project}/.claude/worktrees`, target, caseInsensitive);
  if (inside === null) return [];
  const rest = inside.replace(/^[^/]*\/?/, '');
  const parts = project.split('/');
  const roots = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  return roots.flatMap((root) => {
    const below = project.slice(root.length + 1);
    return root === project || relativeInside(below, rest, caseInsensitive) !== null
      ? `${root}/${rest}`
      : [];
  });
}

/**
 * Tells whether a path lies in one of the working directories. Both ends must be asked separately.
 */
export const isInWorkingDirectories = (target: string, context: DecisionContext): boolean =>
  context.workingDirectories.some(
    (folder) => relativeInside(folder, target, context.caseInsensitive) !== null,
  );

/** Returns why a path cannot be judged as an ordinary file; null when it can. */
export function strangePath(target: string): string | null {
  if (target.includes('\0')) return 'the path contains a NUL character';
  if (/^(\\\\|\/\/[^/])/.test(target)) return 'network paths can send credentials to their server';
  if (/^\/(dev|proc|sys)(\/|$)/.test(target))
    return 'devices and kernel files are not ordinary files';
  return null;
}

/**
 * Folders whose content decides what programs do. docs/permissions.md; {@link UNPROTECTED} names
 * exceptions.
 */
const PROTECTED_FOLDERS = new Set(
  '.git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .ssh .gnupg .githooks .direnv .zed .cursor'.split(
    ' ',
  ),
);

/**
 * Files that programs read as configuration and that can make them run something.
 * docs/permissions.md.
 */
const PROTECTED_FILES = new Set(
  (
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc ' +
    '.login .inputrc .gitconfig .gitmodules .gitattributes .npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .pnpmfile.cjs .pnpmfile.mjs .pnp.cjs .pnp.js .pnp.loader.mjs ' +
    'bunfig.toml .bunfig.toml .envrc .mcp.json .claude.json .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml lefthook.yml ' +
    'lefthook.yaml .lefthook.yml .lefthook.yaml lefthook-local.yml .huskyrc .lintstagedrc .overcommit.yml pyrightconfig.json .ripgreprc .bazelrc ' +
    '.bazeliskrc .bazelversion .tool-versions .mise.toml mise.toml .vimrc .exrc .nvimrc .gvimrc .emacs .gdbinit .lldbinit .netrc .pypirc .curlrc .wgetrc ' +
    '.screenrc .tmux.conf .pam_environment .xinitrc .xprofile .condarc .Rprofile .irbrc .pryrc .psqlrc .sqliterc .code-workspace devcontainer.json .devcontainer.json ' +
    'gradle-wrapper.properties maven-wrapper.properties .mavenrc'
  ).split(' '),
);

const PROTECTED_SHORT_NAMES = new Set([...PROTECTED_FOLDERS, ...PROTECTED_FILES].map(shortNameOf));

/** The folders of `.claude` whose content makes no program run: checkouts, and the notes of agents. */
const UNPROTECTED: ReadonlySet<string> = new Set([
  'worktrees',
  'agent-memory',
  'agent-memory-local',
]);

/**
 * Returns why a path must never be written without being asked about, or null. Compared without
 * regard to case and to other spellings of a name, because the disk may not care either.
 */
export function protectedReason(target: string): string | null {
  const segments = target.split('/').map(plainName);
  const claude = segments.lastIndexOf('.claude');
  const folder = segments.find(
    (segment, i) =>
      PROTECTED_FOLDERS.has(segment) &&
      !(segment === '.claude' && i === claude && UNPROTECTED.has(segments[i + 1] ?? '')),
  );
  if (folder !== undefined) return `${folder} is protected: what is in it can make programs run`;
  if (/(^|\/)\.config\/(git|systemd|autostart)(\/|$)/.test(segments.join('/')))
    return 'this configuration folder is protected: what is in it can make programs run';
  const short = segments.find((segment) => PROTECTED_SHORT_NAMES.has(shortForm(segment) ?? '?'));
  if (short !== undefined) return `${short} may be the short name of something protected`;
  const name = segments.at(-1) ?? '';
  if (PROTECTED_FILES.has(name) || name.endsWith('.code-workspace') || name === '.rprofile')
    return `${name} is protected: programs read it as configuration`;
  return null;
}

/**
 * Returns why removing this path (or, with `contents`, all in it) must always be asked, or null:
 * the root and what is directly in it, the home folder, the current folder and everything above it.
 * docs/permissions.md.
 */
export function criticalRemovalReason(
  target: string,
  contents: boolean,
  context: DecisionContext,
): string | null {
  if (/^[A-Za-z]:[\\/]*$/.test(target)) return 'it is the root of a drive';
  const depth = target.split('/').filter((segment) => segment !== '').length;
  if (depth === 0) return 'it is the root of the disk';
  if (depth === 1) return 'it is a top-level folder';
  if (depth === 2 && /^\/(mnt|media|volumes|users|home)\//i.test(target))
    return 'it is a whole disk or home folder';
  const holds = (folder: string) =>
    relativeInside(target, folder, context.caseInsensitive) !== null;
  if (holds(context.home)) return 'it is or holds the home folder';
  if ([context.cwd, context.project, ...context.workingDirectories].some(holds))
    return contents
      ? 'it would remove everything in the working directory'
      : 'it is or holds the working directory';
  return null;
}

/**
 * Returns why a path means something else on another system than here; null when it does not. For
 * paths with `/`.
 */
export function foreignPath(target: string): string | null {
  if (!target.startsWith('/')) return null;
  if (target.includes('\\')) return 'it is written as a Windows path and means something else here';
  const segments = target.split('/');
  if (segments.some((segment) => /^(file|https?|ftp|smb|data):$/i.test(segment)))
    return 'it is written as an address and not as a path';
  if (segments.some((segment) => /^[a-z]:$/i.test(segment))) {
    return 'it names a Windows drive and means something else here';
  }
  if (segments.some((segment) => /^~[a-z_+-][\w+-]*$/i.test(segment))) {
    return 'a shell would take it for the home folder of somebody; here it is a plain name';
  }
  return null;
}
