import { app, dialog } from 'electron';
import { createWorkbench } from './compose';
import { lookAround } from './hosts/common/surroundings';
import { startElectron } from './hosts/electron/app';
import { keepKeysOutOfReports } from './node/crash-reports';

/** The Electron entry. */
async function main(): Promise<void> {
  keepKeysOutOfReports();
  const around = lookAround(import.meta.dirname);
  if (!around.ok) {
    dialog.showErrorBox('Lathe cannot start', around.error.message);
    return app.exit(1);
  }
  const { latheHome, env, launchTerminalHost, layout, version } = around.value;
  await startElectron({
    around: around.value,
    createWorkbench: (keyStore) =>
      createWorkbench({
        host: 'electron',
        latheHome,
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
