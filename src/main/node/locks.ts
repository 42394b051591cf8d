import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, ok } from '../../shared/result';
import type { LockHolder, Locks } from '../engine/ports';

/** A crash between creating a lock and writing into it leaves it empty; two tries get past that and past a dead holder. */
const TRIES = 3;

/**
 * Creates locks that are files naming their holder: process id and, where the system tells it, when that process
 * started, so that a number used again by another process does not count. Takes over a dead process's lock.
 */
export function createNodeLocks(): Locks {
  return {
    acquire: async (path) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const self: LockHolder = { pid: process.pid, startTime: await startTimeOf(process.pid) };
      let holder: LockHolder | null = null;
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (await create(path, self)) return ok(() => rm(path, { force: true }));
        holder = await readHolder(path);
        if (holder !== null && (await isAlive(holder))) return err(holder);
        await rm(path, { force: true });
      }
      return err(holder ?? self);
    },
  };
}

async function create(path: string, self: LockHolder): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(JSON.stringify(self));
    await file.close();
    return true;
  } catch {
    return false;
  }
}

async function readHolder(path: string): Promise<LockHolder | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value)) return null;
    const startTime = 'startTime' in value ? value.startTime : null;
    return typeof value.pid === 'number'
      ? { pid: value.pid, startTime: typeof startTime === 'string' ? startTime : null }
      : null;
  } catch {
    return null;
  }
}

async function isAlive({ pid, startTime }: LockHolder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code !== 'EPERM') return false;
  }
  const now = await startTimeOf(pid);
  return startTime === null || now === null || now === startTime;
}

/** Returns when a process started, in clock ticks since boot (proc(5), field 22); null where there is no /proc. */
async function startTimeOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
