import type { Locks } from '../../src/main/engine/ports';
import { createNodeLocks } from '../../src/main/node/locks';

/** Locks of one test. */
export interface TestLocks extends Locks {
  /** Gives all of them back, before their folder goes. */
  release(): Promise<void>;
}

/**
 * Creates real locks that a test gives back at its end. What holds one until its process ends would hold it for other
 * tests too: a lock goes by the number of its folder on the disk, which a folder made later may get.
 */
export function createTestLocks(): TestLocks {
  const locks = createNodeLocks();
  const held: (() => Promise<void>)[] = [];
  return {
    acquire: async (path, waiting) => {
      const taken = await locks.acquire(path, waiting);
      if (taken.ok) held.push(taken.value);
      return taken;
    },
    endSibling: locks.endSibling,
    release: async () => {
      await Promise.all(held.splice(0).map((giveBack) => giveBack()));
    },
  };
}
