import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { err, ok } from '../../shared/result';
import type { LockHolder, Locks } from '../engine/ports';
import { errorCode } from './file-fault';
import { makeFolder } from './make-folder';

/** Between two tries of somebody who waits. Milliseconds. */
const RETRY_MS = 20;

/** `O_EXLOCK` of macOS and the BSDs (fcntl.h): the file is locked as long as it is open. Node has no name for it. */
const O_EXLOCK = 0x20;

/** Gives a lock back. */
type Release = () => Promise<void>;

/**
 * Creates locks that the kernel holds for this process, so that no end of it, however sudden, leaves one behind.
 * The file at a lock's path only says who has it.
 */
export function createNodeLocks(platform: NodeJS.Platform = process.platform): Locks {
  const take = platform === 'linux' || platform === 'win32' ? bindName : lockFile;
  return {
    acquire: async (path, waiting) => {
      // Where nothing can be written, the lock is held all the same.
      await makeFolder(dirname(path)).catch(() => undefined);
      for (;;) {
        const release = await take(path, platform);
        if (release !== null) return ok(release);
        if (waiting === undefined || waiting.aborted) return err(await readHolder(path));
        await sleep(RETRY_MS, undefined, { signal: waiting }).catch(() => undefined);
      }
    },
    endSibling: async (path) => {
      const { pid } = await readHolder(path);
      if (pid === null || pid === process.pid) return false;
      const starter = await starterOf(pid);
      if (starter === null || starter !== (await starterOf(process.pid))) return false;
      process.kill(pid, 'SIGTERM');
      return true;
    },
  };
}

/** Takes a lock by listening on a name without a file: an abstract socket on Linux, a pipe on Windows. */
async function bindName(path: string, platform: NodeJS.Platform): Promise<Release | null> {
  const name = await nameOf(path);
  const server = createServer((socket) => socket.destroy());
  const bound = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(platform === 'win32' ? `\\\\.\\pipe\\${name}` : `\0${name}`, () => resolve(true));
  });
  if (!bound) return null;
  // A lock alone keeps no process alive.
  server.unref();
  await writeFile(path, describeSelf(), { mode: 0o600 }).catch(() => undefined);
  return async () => {
    await rm(path, { force: true }).catch(() => undefined);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
}

/** Returns a name that is the same for every process that means this file, whatever path leads to its folder. */
async function nameOf(path: string): Promise<string> {
  const folder = await stat(dirname(path), { bigint: true }).catch(() => null);
  const place = folder === null ? dirname(path) : `${folder.dev}:${folder.ino}`;
  const hash = createHash('sha256')
    .update(`${place}:${basename(path)}`)
    .digest('hex');
  return `lathe-lock-${hash.slice(0, 32)}`;
}

/** The errors of a place where no file can be made. */
const NO_FILE = /^(EROFS|EACCES|EPERM|ENOENT|ENOTDIR|ENOSPC)$/;

/** Takes a lock by opening its file in a way that only one process can. */
async function lockFile(path: string): Promise<Release | null> {
  const flags = constants.O_CREAT | constants.O_RDWR | constants.O_NONBLOCK | O_EXLOCK;
  const file = await open(path, flags, 0o600).catch(errorCode);
  // Where no file can be made, nobody else makes one either.
  if (typeof file === 'string' && NO_FILE.test(file)) return async () => undefined;
  if (file === null || typeof file === 'string') return null;
  if (!(await isStillAt(file, path))) {
    // Its holder removed it between our open and our lock: the next one at the path is another file.
    await file.close();
    return null;
  }
  await file.truncate();
  await file.writeFile(describeSelf());
  return async () => {
    await rm(path, { force: true });
    await file.close();
  };
}

async function isStillAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, found] = await Promise.all([file.stat(), stat(path).catch(() => null)]);
  return found !== null && found.ino === opened.ino && found.dev === opened.dev;
}

/** Returns the program that started a Lathe, past the Node that handed it over to another Node. */
async function starterOf(pid: number): Promise<number | null> {
  const parent = await parentOf(pid);
  if (parent === null) return null;
  const [own, above] = await Promise.all([wordsOf(pid), wordsOf(parent)]);
  return own.length > 0 && isDeepStrictEqual(own, above) ? parentOf(parent) : parent;
}

/** Returns the words behind the script that a process runs. */
const wordsOf = async (pid: number): Promise<readonly string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(2);

/** Returns the process that started another; null where the system does not say, and for one that is gone. */
async function parentOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name before it may hold brackets and spaces.
  const parent = /^.*\) \S (\d+) /s.exec(stat)?.[1];
  return parent === undefined ? null : Number(parent);
}

const describeSelf = (): string => JSON.stringify({ pid: process.pid } satisfies LockHolder);

/** Returns who has a lock; its process is unknown in the moment between taking it and saying so. */
async function readHolder(path: string): Promise<LockHolder> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const named = typeof value === 'object' && value !== null && 'pid' in value ? value.pid : null;
    return { pid: typeof named === 'number' ? named : null };
  } catch {
    return { pid: null };
  }
}
