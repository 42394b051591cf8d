import { spawn } from 'node:child_process';
import { existsSync, lstatSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  chooseNode,
  needsBuild,
  needsInstall,
  OLDEST_NODE,
  withoutOwnPrograms,
} from './lib/decisions.mjs';
import { lockHash, newestSource } from './lib/sources.mjs';
import { inRoot, nodeVersionAt, readText, run, withLock } from './lib/system.mjs';
import { toolPath } from './lib/tools.mjs';

/** Set in a process that was already started again with another Node, so that it never loops. */
const RESTARTED = 'LATHE_RESTARTED';
const wasRestarted = () => process.env[RESTARTED] === '1';
/** How often a process that started another one looks whether its own parent is still there. Milliseconds. */
const PARENT_POLL_MS = 100;
/** The bundled Node as npm links it. */
const BUNDLED_NODE = inRoot('node_modules', '.bin', 'node');

/**
 * Everything a fresh clone needs before Lathe runs: dependencies, the right Node, a build. Tells what it does
 * through `tell`; `meanwhile` runs beside the installation of the dependencies, and once. Resolves `ready`, or
 * `restarted` with the exit code of the process that took over.
 */
export async function setUp({ tell, build = true, meanwhile = async () => {} }) {
  await Promise.all([
    withLock(() => installDependencies(tell)),
    wasRestarted() ? null : meanwhile(tell),
  ]);
  const restarted = await continueWithRightNode();
  if (restarted !== null) return { kind: 'restarted', exitCode: restarted };
  if (build) await ensureBuilt(tell);
  return { kind: 'ready' };
}

/** Builds Lathe where the last build is older than its sources, after {@link setUp} without a build. */
export const ensureBuilt = (tell) => withLock(() => buildIfStale(tell));

async function installDependencies(tell) {
  const stamp = inRoot('node_modules', '.lathe-installed');
  const hash = lockHash();
  if (!needsInstall(hash, installedHash(stamp, hash))) return;
  // npm would empty the folder that a link leads to, which others use.
  if (lstatSync(inRoot('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      'node_modules is a link, and what it leads to is not what package-lock.json asks for. Remove the link, then start again.',
    );
  tell('Installing dependencies (npm ci); this happens once.');
  const env = withoutOwnPrograms(process.env, inRoot(), delimiter);
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env });
  if (code !== 0)
    throw new Error(`npm ci failed (exit code ${code}). Check the network, then start again.`);
  writeFileSync(stamp, hash);
}

/** Dependencies that someone installed by hand after the last change of the lockfile count as well. */
function installedHash(stamp, hash) {
  const known = readText(stamp);
  if (known !== null) return known;
  const byHand = inRoot('node_modules', '.package-lock.json');
  const fresh = existsSync(byHand) && modified(byHand) >= modified(inRoot('package-lock.json'));
  if (!fresh) return null;
  writeFileSync(stamp, hash);
  return hash;
}

const modified = (path) => statSync(path).mtimeMs;

/** Starts the same command again with the bundled Node when this one is too old. Gives its exit code, or null. */
async function continueWithRightNode() {
  const bundled = existsSync(BUNDLED_NODE) ? nodeVersionAt(BUNDLED_NODE) : null;
  const choice = chooseNode(process.version, bundled);
  if (choice === 'this' || wasRestarted()) return null;
  if (choice === 'none')
    throw new Error(
      `Lathe needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}. Install it from https://nodejs.org.`,
    );
  return startAgain();
}

function startAgain() {
  const path = [inRoot('node_modules', '.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, [RESTARTED]: '1' };
  return new Promise((resolve, reject) => {
    const child = spawn(BUNDLED_NODE, process.argv.slice(1), { env, stdio: 'inherit' });
    const pass = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass);
    const parent = process.ppid;
    // The shell between npm and us dies without passing a signal on; then we pass one on.
    const watch = setInterval(() => process.ppid !== parent && pass('SIGTERM'), PARENT_POLL_MS);
    watch.unref();
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

async function buildIfStale(tell) {
  const stamp = inRoot('out', '.built');
  const builtAt = Number(readText(stamp)) || null;
  if (!needsBuild(newestSource(), builtAt)) return;
  tell('Building Lathe.');
  const startedAt = Date.now();
  const fresh = inRoot('dist', '.next-out');
  rmSync(fresh, { recursive: true, force: true });
  const tool = toolPath('electron-vite', 'electron-vite');
  const env = { ...process.env, LATHE_BUILD_FOLDER: fresh };
  const code = await run(process.execPath, [tool, 'build', '--logLevel', 'warn'], { env });
  if (code !== 0) throw new Error(`The build failed (exit code ${code}).`);
  writeFileSync(join(fresh, '.built'), String(startedAt));
  swapIn(fresh, inRoot('out'));
}

/** Puts a finished build in the place of the last one. */
function swapIn(fresh, place) {
  const old = inRoot('dist', '.old-out');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(place)) renameSync(place, old);
  renameSync(fresh, place);
  rmSync(old, { recursive: true, force: true });
}
