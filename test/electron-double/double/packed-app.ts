import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extractAll } from '@electron/asar';
import { makeStubElectron } from '../../e2e/support/stub-electron';
import type { Archive } from './asar-fs';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The app as it is packed, with its archive. */
export interface PackedApp extends Archive {
  /** The path of Electron's program, which is only a stand-in. */
  readonly program: string;
}

/** Packs the app for Linux, as `npm run package -- --dir` does, around a stand-in for Electron. */
export async function packApp(folder: string): Promise<PackedApp> {
  const electron = join(folder, 'electron');
  await makeStubElectron(electron);
  await promisify(execFile)(
    process.execPath,
    [
      ...[join(ROOT, 'node_modules', 'electron-builder', 'cli.js'), '--linux', 'dir'],
      ...['--publish', 'never', '--projectDir', ROOT],
      ...[`-c.electronDist=${electron}`, `-c.directories.output=${join(folder, 'dist')}`],
    ],
    { cwd: ROOT },
  );
  const app = join(folder, 'dist', 'linux-unpacked');
  const path = join(app, 'resources', 'app.asar');
  const view = join(folder, 'view');
  extractAll(path, view);
  const program = join(app, 'lathe-desktop');
  const preload = join(folder, 'read-archives.mjs');
  const reader = join(import.meta.dirname, 'asar-fs.ts');
  await writeFile(
    preload,
    `import { readArchives } from ${JSON.stringify(reader)};
readArchives(${JSON.stringify({ path, view, preload })});
process.execPath = ${JSON.stringify(program)};
Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '45.0.0' } });
`,
  );
  return { path, view, preload, program };
}
