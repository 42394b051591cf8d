import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { createWorkbench } from './compose';
import {
  composeOptions,
  debugWish,
  readAppEnvironment,
  TAKEN,
} from './hosts/common/app-environment';
import { pluginFoldersIn } from './hosts/common/desktop';
import { launcherOf } from './hosts/common/path-command';
import { withRegistry } from './hosts/common/registry';
import { startElectron } from './hosts/electron/app';
import { commandWords, isCommandLine } from './hosts/electron/launch-request';
import { createNodeFiles } from './node/files';
import { createNodeLocks } from './node/locks';
import { keepHeapSmall, keepKeysOutOfReports } from './node/runtime';
import { hasReached, reached } from './node/startup';

/** Starts the app in Electron. */
async function main(): Promise<void> {
  keepKeysOutOfReports();
  keepHeapSmall(() => hasReached('first request'));
  reached('app loaded');
  const words = process.argv.slice(app.isPackaged ? 1 : 2);
  if (isCommandLine(words, process.cwd(), isImageInTerminal()))
    return process.exit(runCommandLine(commandWords(words)));
  const environment = readAppEnvironment(import.meta.dirname);
  if (!environment.ok) {
    return endUnstarted(environment.error.message);
  }
  const { env, layout } = environment.value;
  await startElectron({
    environment: environment.value,
    files: createNodeFiles(),
    locks: createNodeLocks(),
    createWorkbench: async (stores, systemProxy, shellWatcher) =>
      createWorkbench({
        host: 'electron',
        debug: debugWish(env, process.cwd()),
        ...composeOptions(environment.value),
        env: process.platform === 'win32' ? await withRegistry(env, TAKEN) : env,
        ...stores,
        systemProxy,
        shellWatcher,
        pluginFolders: pluginFoldersIn(env),
        searchWorker: layout.searchWorker,
      }),
  });
}

/** Tells whether a terminal waits for the start program of an AppImage, and so for this process. */
const isImageInTerminal = (): boolean =>
  process.platform === 'linux' &&
  process.stdout.isTTY &&
  launcherOf(join(import.meta.dirname, '..', '..'), 'linux', process.env) !== null;

/** Runs the command line in a process of its own and returns its exit code. Blocks, so that nothing here needs a display. */
function runCommandLine(words: readonly string[]): number {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'cli.js'), ...words], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: 'inherit',
  });
  return status ?? 1;
}

/** Tells the user why the app cannot start, and ends it. Before `ready`, Linux would show nothing. */
async function endUnstarted(why: string): Promise<void> {
  await app.whenReady();
  dialog.showErrorBox('Lathe cannot start', why);
  app.exit(1);
}

main().catch((error: unknown) =>
  endUnstarted(error instanceof Error ? error.message : String(error)),
);
