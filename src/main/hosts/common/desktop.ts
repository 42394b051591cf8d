import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { WindowCommand } from './command-line/command';
import { launcherOf } from './path-command';

/** The machine, as far as opening a window depends on it. */
export interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** Browsers refuse their own sandbox to the superuser. */
  readonly superuser: boolean;
}

/** Returns the desktop this process runs on. */
export const thisDesktop = (): Desktop => ({
  platform: process.platform,
  env: process.env,
  superuser: process.geteuid?.() === 0,
});

/** Tells whether anyone could see a window. */
export const hasScreen = ({ platform, env }: Pick<Desktop, 'platform' | 'env'>): boolean =>
  platform === 'darwin' || platform === 'win32'
    ? env['SSH_CONNECTION'] === undefined
    : Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);

/** Electron's program, and the words that come before the app's own. */
export interface ElectronProgram {
  readonly path: string;
  readonly words: readonly string[];
}

/**
 * Returns the program that shows this installation's windows: our own where an installed app runs us as plain Node, else
 * Electron beside the sources; null when that was never downloaded.
 */
export async function findElectron(root: string): Promise<ElectronProgram | null> {
  if (process.versions['electron'] !== undefined) {
    // An image is taken away with the process that it was started for.
    const image = process.platform === 'linux' ? launcherOf(root, 'linux', process.env) : null;
    return { path: image ?? process.execPath, words: [] };
  }
  const folder = join(root, 'node_modules', 'electron');
  try {
    const path = join(folder, 'dist', (await readFile(join(folder, 'path.txt'), 'utf8')).trim());
    await access(path, constants.X_OK);
    return { path, words: [root] };
  } catch {
    return null;
  }
}

/** Returns why the app cannot open as Electron on this desktop, for a user; null when it can. */
export function electronObstacle(program: ElectronProgram | null, desktop: Desktop): string | null {
  if (!hasScreen(desktop)) return 'there is no display';
  if (desktop.superuser && desktop.platform === 'linux')
    return 'it does not start for the superuser';
  if (program === null) return 'its program could not be downloaded';
  return null;
}

/** An end with an error this soon after the start means that the app never came up. Milliseconds. */
const START_MS = 8_000;

/** The outcome of a start of Electron. */
export type ElectronRun =
  | { readonly kind: 'ran'; readonly exitCode: number }
  | { readonly kind: 'failed'; readonly why: string };

/** The pause between two looks whether the app is up. Milliseconds. */
const LOOK_MS = 50;

/**
 * Starts the app with Electron's program. Resolves when it is up, as editors do, and leaves it to itself. From the sources, with
 * `--wait`, and where another one is up already, it resolves when the app has ended.
 */
export async function runElectron(
  program: ElectronProgram,
  command: WindowCommand,
  isUp: () => Promise<boolean>,
): Promise<ElectronRun> {
  const holds = command.waits === true || program.words.length > 0 || (await isUp());
  const child = spawn(program.path, [...program.words, ...electronArguments(command)], {
    // In a group of its own the terminal's Ctrl+C and its end are not for the app.
    ...(holds ? { stdio: 'inherit' } : { stdio: 'ignore', detached: true }),
    env: {
      ...withoutNodeMode(process.env),
      ...debugVariable(command),
      ...pluginVariable(command),
    },
  });
  const ended = endOf(child);
  if (holds) return ended;
  const leaving = new AbortController();
  const run = await Promise.race([ended, upWithin(isUp, leaving.signal)]);
  leaving.abort();
  child.unref();
  return run;
}

/** Resolves when the app is up; never, once the signal aborts. */
async function upWithin(isUp: () => Promise<boolean>, signal: AbortSignal): Promise<ElectronRun> {
  while (!(await isUp())) {
    if (signal.aborted) return new Promise(() => {});
    await pause(LOOK_MS);
  }
  return { kind: 'ran', exitCode: 0 };
}

function endOf(child: ChildProcess): Promise<ElectronRun> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'failed', why: error.message }));
    child.once('exit', (code, signal) => {
      const soon = performance.now() - startedAt < START_MS;
      if (soon && (code ?? 1) !== 0)
        resolve({ kind: 'failed', why: signal ? `ended by ${signal}` : `exit code ${code}` });
      else resolve({ kind: 'ran', exitCode: code ?? 1 });
    });
  });
}

/** Returns the words that the app's own entry understands. */
const electronArguments = ({ folder, demo }: WindowCommand): string[] => [
  ...(folder === undefined ? [] : [folder]),
  ...(demo ? ['--demo'] : []),
];

/** Returns the variable that stands for the flags of the debug log, which the app's own entry does not read. */
export const debugVariable = ({ debug, debugFile }: WindowCommand): Record<string, string> =>
  debug ? { LATHE_DEBUG: debugFile ?? '1' } : {};

/** The variable that names the folders of `--plugin-dir` to a process with windows, as PATH does. */
const PLUGIN_FOLDERS = 'LATHE_PLUGIN_DIRS';

/** Returns that variable with the folders of a command. */
export const pluginVariable = ({
  pluginFolders = [],
}: Pick<WindowCommand, 'pluginFolders'>): Record<string, string> =>
  pluginFolders.length === 0 ? {} : { [PLUGIN_FOLDERS]: pluginFolders.join(delimiter) };

/** Returns the folders that it names. */
export const pluginFoldersIn = (env: Readonly<NodeJS.ProcessEnv>): readonly string[] =>
  (env[PLUGIN_FOLDERS] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));

/** The notice where those folders cannot count, because Lathe runs already. */
export const NO_PLUGIN_FOLDERS =
  '--plugin-dir does not count: Lathe was running already. Quit it first.';

/** Removes `ELECTRON_RUN_AS_NODE`, which would start a plain Node instead of the app. */
function withoutNodeMode(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = env;
  return rest;
}
