import { join } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';

/** The most processes that use one store at once. */
const SLOTS = 32;

/** The longest wait for another process that prunes. Milliseconds. */
const WAIT_MS = 60_000;

/** Locks that end with the process that holds them. */
export interface ProcessLocks {
  /** Takes the lock at a path unless another has it; with `waiting` it waits until that aborts. The value gives it back. */
  acquire(path: string, waiting?: AbortSignal): Promise<Result<() => Promise<void>, unknown>>;
}

/** The right of this process to use a store that others use too. */
export interface StoreLease {
  /** Takes the right until the process ends; waits while another process prunes. */
  take(): Promise<Result<null>>;
  /** Runs an act while no other process uses the store; null, and nothing runs, when one does. */
  alone<T>(act: () => Promise<T>): Promise<T | null>;
}

/**
 * Creates the lease of a store. Each process that uses it holds one of a few locks, and whoever takes or counts them holds
 * a gate meanwhile. The locks end with their process, however it ends.
 */
export function createStoreLease(folder: string, locks: ProcessLocks): StoreLease {
  const gate = join(folder, 'lathe-gate.lock');
  const slotAt = (at: number) => join(folder, `lathe-use-${at}.lock`);
  let own: number | null = null;
  return {
    take: async () => {
      if (own !== null) return ok(null);
      const passed = await locks.acquire(gate, AbortSignal.timeout(WAIT_MS));
      if (!passed.ok) return err(BUSY);
      try {
        for (let at = 0; at < SLOTS && own === null; at += 1) {
          if ((await locks.acquire(slotAt(at))).ok) own = at;
        }
        return own === null ? err(BUSY) : ok(null);
      } finally {
        await passed.value();
      }
    },
    alone: async (act) => {
      const passed = await locks.acquire(gate);
      if (!passed.ok) return null;
      try {
        for (let at = 0; at < SLOTS; at += 1) {
          if (at === own) continue;
          const slot = await locks.acquire(slotAt(at));
          if (!slot.ok) return null;
          await slot.value();
        }
        return await act();
      } finally {
        await passed.value();
      }
    },
  };
}

const BUSY = fault(
  'checkpoint_failed',
  'Another Lathe is busy with the checkpoints of this project: changes of files cannot be undone for now.',
);
