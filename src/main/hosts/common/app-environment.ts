import { chmodSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import { homeFolder, mendHome } from '../../node/home-folder';
import { makeFolderSync } from '../../node/make-folder';
import type { DebugFlags } from './command-line/command';

/** The facts every host finds out about its process before it composes the engine. */
export interface AppEnvironment {
  readonly layout: AppLayout;
  /** Lathe's own folder; a temporary one where the usual one cannot be written. */
  readonly latheHome: string;
  /** Problems with the usual folder. */
  readonly problems: readonly SettingsProblem[];
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** The command that starts the terminal host: this very program, as plain Node. */
  readonly launchTerminalHost: {
    readonly execPath: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly version: string;
  };
}

/** Returns the part of the environment that wiring the app needs in every host. */
export const composeOptions = ({
  latheHome,
  problems,
  env,
  launchTerminalHost,
  layout,
  version,
}: AppEnvironment) => ({
  ...{ latheHome, problems, env, launchTerminalHost, version },
  resources: layout.resources,
  documentReader: layout.documentReader,
  sandboxHost: layout.sandboxHost,
});

/**
 * Reads the environment, synchronously, because Electron must be told some things before it is ready. `mainFolder` is the
 * folder of the entry file. Creates Lathe's home when it does not exist.
 */
export function readAppEnvironment(mainFolder: string): Result<AppEnvironment> {
  const layout = appLayout(mainFolder);
  const wrongHome = mendHome(process.env);
  const home = usableLatheHome(latheHomeOf(process.env, homeFolder(process.env)));
  if (!home.ok) return home;
  const version = appVersion(layout.root);
  return ok({
    layout,
    latheHome: home.value.latheHome,
    problems: [
      ...(wrongHome === null
        ? []
        : [{ file: 'HOME', message: wrongHome, level: 'warning' as const }]),
      ...home.value.problems,
    ],
    version,
    env: withTakenVariables(process.env, startEnvironment()),
    launchTerminalHost: {
      execPath: process.execPath,
      args: [layout.terminalHost],
      env: process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
      version,
    },
  });
}

/**
 * The variables that Electron takes out of the environment of a packaged app, because they would change the app itself
 * (`SetNodeOptions` in its `node_bindings.cc`, and `node_main.cc`).
 */
export const TAKEN = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'] as const;

/** `bin/lathe` passes them on under names that begin so. */
const PASSED_ON = 'LATHE_START_';

/**
 * Returns the environment with the variables that Electron took out, for the user's terminals and commands: as
 * `bin/lathe` passed them on, else as they stand in `started`, `NAME=value` parts ended by NUL. Pure.
 */
export function withTakenVariables(env: NodeJS.ProcessEnv, started: string): NodeJS.ProcessEnv {
  const given = { ...env };
  for (const name of TAKEN) {
    const told = started.split('\0').find((part) => part.startsWith(`${name}=`));
    const value = env[PASSED_ON + name] || told?.slice(name.length + 1);
    delete given[PASSED_ON + name];
    if (value) given[name] ??= value;
  }
  return given;
}

/** Returns what the kernel keeps of the environment that Electron was started with; empty elsewhere. */
function startEnvironment(): string {
  if (process.platform !== 'linux' || process.versions['electron'] === undefined) return '';
  try {
    return readFileSync('/proc/self/environ', 'utf8');
  } catch {
    // A system without `/proc`: the variables stay missing.
    return '';
  }
}

/**
 * Resolves the wish for a debug log: the flags, else `LATHE_DEBUG`, which is a switch or a file (relative to `base`).
 * Returns undefined when none is wished.
 */
export function debugWish(
  env: NodeJS.ProcessEnv,
  base: string,
  { debug, debugFile }: DebugFlags = { debug: false },
): DebugWish | undefined {
  if (debugFile !== undefined) return { file: debugFile };
  const value = env['LATHE_DEBUG']?.trim() ?? '';
  const off = /^(0|false|no|off)?$/i.test(value);
  if (!off && !/^(1|true|yes|on)$/i.test(value)) return { file: resolve(base, value) };
  return debug || !off ? {} : undefined;
}

/** A wish for a debug log; without a file it lies in Lathe's own folder. */
export interface DebugWish {
  readonly file?: string;
}

/**
 * Returns the folder the user was in when they started Lathe. npm runs scripts in the package's own folder and says
 * where it was called; that counts only there, because children of Lathe inherit the variable too.
 */
export function startFolder(env: NodeJS.ProcessEnv, cwd: string, root: string): string {
  const fromNpm = env['npm_lifecycle_event'] !== undefined && cwd === root;
  return (fromNpm && env['INIT_CWD']) || cwd;
}

/** The paths of a built Lathe's parts. All absolute. */
interface AppLayout {
  /** The folder that holds `package.json`, `out` and `resources`. */
  readonly root: string;
  readonly resources: string;
  readonly renderer: string;
  readonly preload: string;
  readonly terminalHost: string;
  /** The script of the threads that read strangers' documents. */
  readonly documentReader: string;
  /** The script of the thread that searches sessions. */
  readonly searchWorker: string;
  readonly sandboxHost: string;
}

/** Returns the layout, seen from the folder of an entry file (`out/main`). */
function appLayout(mainFolder: string): AppLayout {
  const root = join(mainFolder, '..', '..');
  return {
    root,
    resources: join(root, 'resources'),
    renderer: join(mainFolder, '..', 'renderer'),
    preload: join(mainFolder, '..', 'preload', 'index.cjs'),
    terminalHost: join(mainFolder, 'terminal-host.js'),
    documentReader: join(mainFolder, 'document-reader.js'),
    searchWorker: join(mainFolder, 'search-worker.js'),
    sandboxHost: join(mainFolder, 'sandbox-host.js'),
  };
}

/** Returns the version in `package.json`; `0.0.0` when that cannot be read. */
function appVersion(root: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest
        ? manifest.version
        : undefined;
    return typeof version === 'string' ? version : '0.0.0';
  } catch {
    return '0.0.0';
  }
}

/** Returns Lathe's own folder: `LATHE_HOME`, else `.lathe`; `home` is what they are relative to. Absolute. */
export const latheHomeOf = (env: NodeJS.ProcessEnv, home: string): string =>
  resolve(home, env['LATHE_HOME'] || '.lathe');

/** Creates Lathe's folder with its `run` folder, readable by this user only (docs/security.md 13). */
export function prepareLatheHome(latheHome: string): Result<null> {
  try {
    const run = join(latheHome, 'run');
    makeFolderSync(run);
    // An existing home keeps its mode, it may be anyone's folder; the sockets' folder is ours.
    chmodSync(run, 0o700);
    return ok(null);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return err(
      fault(
        'lathe_home',
        `Lathe cannot use its own folder ${latheHome}: ${why}`,
        'Set LATHE_HOME to a folder you can write to.',
      ),
    );
  }
}

/** Prepares Lathe's folder, or a temporary one where that cannot be written: Lathe runs on, and says so. */
function usableLatheHome(wanted: string): Result<Pick<AppEnvironment, 'latheHome' | 'problems'>> {
  const prepared = prepareLatheHome(wanted);
  if (prepared.ok) return ok({ latheHome: wanted, problems: [] });
  // The folder that `TMPDIR` names may not be there.
  for (const base of new Set([tmpdir(), '/tmp']))
    try {
      const latheHome = mkdtempSync(join(base, 'lathe-home-'));
      const other = prepareLatheHome(latheHome);
      if (!other.ok) continue;
      const message = `${prepared.error.message}. Until that is mended, sessions and choices are kept in ${latheHome} only, and those of before are not seen. ${prepared.error.fix ?? ''}`;
      return ok({ latheHome, problems: [{ file: wanted, message, level: 'warning' }] });
    } catch {}
  return err(prepared.error);
}

/** Returns whether a folder is there. A path that cannot be one, such as a long prompt, is none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Returns why a folder named on the command line cannot be opened; null when it can. */
export async function folderProblem(folder: string): Promise<Fault | null> {
  try {
    const info = await stat(folder);
    if (!info.isDirectory()) return fault('not_directory', `${folder} is not a folder.`);
    await access(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'EACCES'
      ? fault('denied', `${folder} cannot be read.`, 'Check its permissions.')
      : fault('not_found', `${folder} does not exist.`, 'Check the path.');
  }
}
