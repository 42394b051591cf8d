import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A path inside the repository. */
export const inRoot = (...parts) => join(root, ...parts);

/** Returns true when a program is on the PATH. */
export const hasProgram = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name)));

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian's Chromium for tests, or null: the one without windows, tabs and profiles first, which starts pages in half the time. */
export const systemChromium = () =>
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ??
  null;

/** A file's text, or null. */
export function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** A JSON file's value, or null. */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Runs a program in the repository and resolves with its exit code (null when it took longer than `timeoutMs`).
 * `stdio` as in Node; standard output goes to standard error unless said otherwise, to keep ours clean.
 */
export function run(program, args, { timeoutMs, env = process.env, stdio } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env,
      stdio: stdio ?? ['ignore', 2, 2],
      shell: process.platform === 'win32' && program === 'npm',
    });
    const timer =
      timeoutMs === undefined ? null : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (timer !== null) clearTimeout(timer);
      resolve(code ?? (signal === null ? 1 : null));
    });
  });
}

/** The version a Node program says it is, or null when it does not run. */
export function nodeVersionAt(path) {
  const probe = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return probe.status === 0 ? probe.stdout.trim() : null;
}

/** How often a waiting set-up looks again, in milliseconds. */
const LOCK_POLL_MS = 200;
/** After this long a user is told what is waited for. */
const LOCK_SAY_MS = 2000;
/** Signing takes well under a millisecond. */
const LOCK_UNSIGNED_MS = 10_000;

/** Runs `work` while no other set-up of this repository does. A lock whose owner is gone is taken over. */
export async function withLock(work) {
  const lock = inRoot('dist', '.setup.lock');
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = 0; !takeLock(lock); waited += LOCK_POLL_MS) {
    if (waited === LOCK_SAY_MS)
      console.error(`Waiting for another set-up of this folder (${lock}).`);
    await new Promise((wake) => setTimeout(wake, LOCK_POLL_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = Number(readText(lock));
    if (owner > 0 ? !isAlive(owner) : isOld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** A set-up that was ended between making its lock and signing it left it empty. */
function isOld(lock) {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return Date.now() - made > LOCK_UNSIGNED_MS;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
