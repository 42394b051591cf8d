import { basename, delimiter, dirname, relative } from 'node:path';
import { isSecret } from '../../shared/secret-variables';

/** The environment of terminals. */

/** An environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the process that asked, which mislead programs in a terminal. */
const FOREIGN: ReadonlySet<string> = new Set([
  'CHROME_DESKTOP',
  'ELECTRON_RUN_AS_NODE',
  'INIT_CWD',
  'ELECTRON_NO_ATTACH_CONSOLE',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'WINDOWID',
  'TERMCAP',
  'COLUMNS',
  'LINES',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
]);

/** Returns an environment without its keys. */
export function withoutSecrets(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !isSecret(name)) kept[name] = value;
  return kept;
}

/** Returns the environment for a user's own shell in a terminal of ours. */
export function shellEnvironment(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(withoutSecrets(env)).filter(([name]) => !isForeign(name)),
  );
  return {
    ...kept,
    ...(kept['PATH'] === undefined ? {} : { PATH: withoutNpmFolders(kept['PATH'], env) }),
    ...(speaksUtf8(kept) ? {} : { LANG: platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8' }),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  };
}

const isForeign = (name: string): boolean => FOREIGN.has(name) || name.startsWith('npm_');

/** Removes the folders that `npm start` put in front: they hold Lathe's own Node. */
function withoutNpmFolders(path: string, env: Environment): string {
  const packageFile = env['npm_package_json'];
  if (packageFile === undefined) return path;
  const root = dirname(packageFile);
  return path
    .split(delimiter)
    .filter((folder) => !isNpmFolder(folder, root))
    .join(delimiter);
}

const isNpmFolder = (folder: string, root: string): boolean =>
  folder.endsWith('node-gyp-bin') ||
  (basename(folder) === '.bin' &&
    basename(dirname(folder)) === 'node_modules' &&
    !relative(dirname(dirname(folder)), root).startsWith('..'));

/** Returns the environment for the agent's commands: like a user's shell, but nothing may open a pager. */
export const commandEnvironment = (
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> => ({
  ...shellEnvironment(env, platform),
  PAGER: 'cat',
  GIT_PAGER: 'cat',
});

/** Variables that the start script of an AppImage sets. */
const APP_IMAGE = ['APPIMAGE', 'APPDIR', 'ARGV0', 'OWD', 'APPIMAGE_SILENT_INSTALL'] as const;
/** Lists of folders that it puts its own in front of. */
const APP_IMAGE_LISTS = [
  'PATH',
  'LD_LIBRARY_PATH',
  'XDG_DATA_DIRS',
  'GSETTINGS_SCHEMA_DIR',
] as const;

/** Returns an environment without what an AppImage put into it: its libraries break other programs. */
export function withoutAppImage(env: Environment): Environment {
  const mounted = env['APPDIR'];
  if (mounted === undefined || mounted === '') return env;
  const kept = { ...env };
  for (const name of APP_IMAGE) delete kept[name];
  for (const name of APP_IMAGE_LISTS) {
    const folders = kept[name]?.split(delimiter) ?? [];
    const others = folders.filter((folder) => folder !== '' && !isInside(folder, mounted));
    if (others.length === 0) delete kept[name];
    else kept[name] = others.join(delimiter);
  }
  return kept;
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);

/** Tells whether an environment asks for UTF-8. The first of these variables that is set decides (POSIX). */
const speaksUtf8 = (env: Environment): boolean =>
  /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
