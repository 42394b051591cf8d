import { homedir } from 'node:os';
import { err, ok, type Result } from '../../../shared/result';
import { type AppLayout, appLayout, appVersion } from './app-layout';
import { latheHomeOf, prepareLatheHome } from './lathe-home';

/** What every host finds out about its process before it composes the engine. */
export interface Surroundings {
  readonly layout: AppLayout;
  readonly latheHome: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** How the terminal host is started: this very program, as plain Node. */
  readonly launchTerminalHost: {
    readonly execPath: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

/**
 * Looks around, at once: Electron must be told some things before it is ready. `mainFolder` is the folder of the entry file. Makes
 * Lathe's home when it is not there.
 */
export function lookAround(mainFolder: string): Result<Surroundings> {
  const layout = appLayout(mainFolder);
  const latheHome = latheHomeOf(process.env, homedir());
  const prepared = prepareLatheHome(latheHome);
  if (!prepared.ok) return err(prepared.error);
  return ok({
    layout,
    latheHome,
    version: appVersion(layout.root),
    env: process.env,
    launchTerminalHost: {
      execPath: process.execPath,
      args: [layout.terminalHost],
      env: process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
    },
  });
}

/**
 * The folder a person was in when they started Lathe. npm runs scripts in the package's own folder and says
 * where it was called; that counts only there, because children of Lathe inherit the variable too.
 */
export function startFolder(env: NodeJS.ProcessEnv, cwd: string, root: string): string {
  const fromNpm = env['npm_lifecycle_event'] !== undefined && cwd === root;
  return (fromNpm && env['INIT_CWD']) || cwd;
}
