import { err, type Result } from '../shared/result';
import { createWorkbench } from './compose';
import type { WindowCommand } from './hosts/common/command-line/command';
import { thisDesktop } from './hosts/common/desktop';
import type { Surroundings } from './hosts/common/surroundings';
import { fileKeyStore } from './hosts/web/file-key-store';
import { type Serving, serve } from './hosts/web/serve';

/** Starts the web host. It serves until `stop` of the result is called. */
export async function startWebHost(
  command: WindowCommand,
  around: Surroundings,
  print: (line: string) => void,
): Promise<Result<Serving>> {
  const keyStore = fileKeyStore(around.latheHome);
  const served = await serve({
    latheHome: around.latheHome,
    renderer: around.layout.renderer,
    version: around.version,
    keyStorage: keyStore.describe(),
    port: command.port,
    demo: command.demo,
    openWindow: command.openWindow,
    desktop: thisDesktop(),
    print,
    createWorkbench: () =>
      createWorkbench({
        host: 'web',
        latheHome: around.latheHome,
        env: around.env,
        keyStore,
        launchTerminalHost: around.launchTerminalHost,
        resources: around.layout.resources,
        version: around.version,
        documentReader: around.layout.documentReader,
        sandboxHost: around.layout.sandboxHost,
      }),
    ...(command.folder === undefined ? {} : { folder: command.folder }),
  });
  return served.ok ? served : err(served.error);
}
