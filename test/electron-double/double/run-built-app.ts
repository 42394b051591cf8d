import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArchives } from './asar-fs';
import type { ElectronDouble } from './electron-double';
import type { PackedApp } from './packed-app';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** How an app is started. */
export interface AppStart {
  readonly words?: readonly string[];
  /** Files in Lathe's home, by their names. */
  readonly found?: Readonly<Record<string, string>>;
  /** What is set besides what the test itself has. */
  readonly env?: Readonly<Record<string, string>>;
  /** The packed app that runs, from its archive. Default: the build in `out/`. */
  readonly packed?: PackedApp;
  /** The folders that it finds, and leaves. Default: new ones. */
  readonly at?: { readonly home: string; readonly latheHome: string };
}

/** A built app that runs on a double, in a home of its own. */
export interface RunningApp {
  readonly latheHome: string;
  /** Quits it, ending everything. */
  quit(): Promise<void>;
  /** Quits it and takes its home away. */
  stop(): Promise<void>;
}

/** Starts the built main bundle on a double. */
export async function runBuiltApp(
  double: ElectronDouble,
  { words = [], found = {}, env = {}, packed, at }: AppStart = {},
): Promise<RunningApp> {
  if (!existsSync(join(ROOT, 'out'))) throw new Error('The app is not built: npm run build');
  const own = await mkdtemp(join(tmpdir(), 'lathe-electron-'));
  const { home, latheHome } = at ?? { home: own, latheHome: join(own, 'lathe') };
  await mkdir(latheHome, { mode: 0o700, recursive: true });
  for (const [name, text] of Object.entries(found)) await writeFile(join(latheHome, name), text);
  const program = await makeProgram(own, packed);
  const { argv, execPath, versions, resourcesPath } = process;
  const before = { argv, env: { ...process.env }, execPath, resourcesPath };
  process.argv = double.app.isPackaged ? ['lathe', ...words] : ['electron', ROOT, ...words];
  if (packed !== undefined) Object.assign(process, { resourcesPath: dirname(packed.path) });
  Object.assign(process.env, { HOME: home, LATHE_HOME: latheHome });
  for (const name of Object.keys(process.env))
    if (name.startsWith('ANTHROPIC_')) delete process.env[name];
  Object.assign(process.env, env);
  process.execPath = program.path;
  setVersions({ ...versions, electron: '45.0.0' });
  const closeArchive = packed === undefined ? () => {} : readArchives(packed);
  const forget = requireWithDouble(double, packed?.path ?? ROOT);
  double.app.becomeReady();
  const end = async () => {
    double.answers.box = 0;
    await quit(double);
    forget();
    closeArchive();
    Object.assign(process, before);
    setVersions(versions);
    if (existsSync(program.asApp))
      throw new Error(
        `A child was started as another app: ${await readFile(program.asApp, 'utf8')}`,
      );
  };
  return {
    latheHome,
    quit: end,
    async stop() {
      await end();
      await rm(own, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const setVersions = (versions: NodeJS.ProcessVersions) =>
  Object.defineProperty(process, 'versions', { value: versions, configurable: true });

/**
 * Makes what stands for Electron's program: plain Node for children that ask for it, without the variables that its fuse takes
 * away, and else another app, which is written down in `asApp`.
 */
export async function makeProgram(folder: string, packed: PackedApp | undefined) {
  const path = packed?.program ?? join(folder, 'electron');
  const asApp = join(folder, 'started-as-app');
  const archives = packed === undefined ? '' : ` --import '${packed.preload}'`;
  await writeFile(
    path,
    `#!/bin/sh
if [ -z "$ELECTRON_RUN_AS_NODE" ]; then echo "$@" >> '${asApp}'; exit 1; fi
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS
exec '${process.execPath}'${archives} "$@"
`,
  );
  await chmod(path, 0o755);
  return { path, asApp };
}

/**
 * Each start gets the bundle's modules and the module that stands for Electron anew, also those that the bundle loads later.
 * Returns a function that ends that.
 */
function requireWithDouble(double: ElectronDouble, root: string): () => void {
  Reflect.set(globalThis, Symbol.for('lathe.electron-double'), double.electron);
  const standIn = join(import.meta.dirname, 'electron-module.cjs');
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'electron'
        ? { url: pathToFileURL(standIn).href, shortCircuit: true }
        : next(specifier, context),
  });
  const load = createRequire(import.meta.url);
  for (const path of Object.keys(load.cache))
    if (path === standIn || path.includes('/out/main/')) delete load.cache[path];
  load(join(root, 'out', 'main', 'index.js'));
  return () => hooks.deregister();
}

function quit(double: ElectronDouble): Promise<void> {
  return new Promise((resolve) => {
    if (double.app.record.exitCode !== null) return resolve();
    double.app.once('double:exit', () => resolve());
    double.app.quit();
  });
}
