import { err, type Result } from '../shared/result';
import { createWorkbench } from './compose';
import type { AppEnvironment, DebugWish } from './hosts/common/app-environment';
import type { WindowCommand } from './hosts/common/command-line/command';
import { NO_PLUGIN_FOLDERS, pluginFoldersIn, thisDesktop } from './hosts/common/desktop';
import { withKeyFile } from './hosts/common/key-file';
import { type Serving, serve } from './hosts/web/serve';
import { createNodeFiles } from './node/files';
import { createNodeLocks } from './node/locks';

/** Starts the web host. It serves until `stop` of the result is called. */
export async function startWebHost(
  command: WindowCommand,
  environment: AppEnvironment,
  debug: DebugWish | undefined,
  print: (line: string) => void,
): Promise<Result<Serving>> {
  const files = createNodeFiles();
  const options = withKeyFile(environment, files);
  const served = await serve({
    latheHome: environment.latheHome,
    renderer: environment.layout.renderer,
    version: environment.version,
    keyStorage: options.keyStore.describe(),
    port: command.port,
    demo: command.demo,
    openWindow: command.openWindow,
    desktop: thisDesktop(),
    locks: createNodeLocks(),
    files,
    print,
    createWorkbench: () =>
      createWorkbench({
        host: 'web',
        debug,
        ...options,
        pluginFolders: command.pluginFolders ?? pluginFoldersIn(environment.env),
        searchWorker: environment.layout.searchWorker,
      }),
    ...(command.folder === undefined ? {} : { folder: command.folder }),
  });
  if (!served.ok) return err(served.error);
  if (served.value.kind === 'elsewhere' && command.pluginFolders !== undefined)
    print(NO_PLUGIN_FOLDERS);
  if (served.value.kind === 'elsewhere' && debug !== undefined)
    print('There is no debug log: Lathe was running already. End it first.');
  return served;
}
