import { app, dialog } from 'electron';
import { createWorkbench } from './compose';
import { debugWish, readAppEnvironment } from './hosts/common/app-environment';
import { startElectron } from './hosts/electron/app';
import { createNodeFiles } from './node/files';
import { createNodeLocks } from './node/locks';
import { keepKeysOutOfReports } from './node/runtime';

/** Starts the app in Electron. */
async function main(): Promise<void> {
  keepKeysOutOfReports();
  const environment = readAppEnvironment(import.meta.dirname);
  if (!environment.ok) {
    dialog.showErrorBox('Lathe cannot start', environment.error.message);
    return app.exit(1);
  }
  const { latheHome, problems, env, launchTerminalHost, layout, version } = environment.value;
  await startElectron({
    environment: environment.value,
    files: createNodeFiles(),
    locks: createNodeLocks(),
    createWorkbench: (keyStore) =>
      createWorkbench({
        host: 'electron',
        debug: debugWish(env, process.cwd()),
        latheHome,
        problems,
        env,
        keyStore,
        launchTerminalHost,
        resources: layout.resources,
        version,
        documentReader: layout.documentReader,
        sandboxHost: layout.sandboxHost,
      }),
  });
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  dialog.showErrorBox('Lathe cannot start', text);
  app.exit(1);
});
