import { randomUUID } from 'node:crypto';
import type { KillReport } from '../../../shared/terminal';
import { killTrees } from './kill-tree';
import { HOST_TAG, type ProcessTable, TERMINAL_TAG } from './process-table';

/** Trees of processes that were started without a terminal. */
export interface OwnTrees {
  /** Variables for the environment of a tree's first process; its descendants inherit them. */
  tags(id: string): Readonly<Record<string, string>>;
  /** Ends a tree: what grew from `pid` (a living child of ours), and whatever carries its tags. */
  end(id: string, pid: number): Promise<KillReport>;
}

/** Creates them for this process. `graceMs` lies between TERM and KILL. */
export function createOwnTrees(table: ProcessTable, graceMs: number): OwnTrees {
  const hostId = randomUUID();
  return {
    tags: (id) => ({ [TERMINAL_TAG]: id, [HOST_TAG]: hostId }),
    end: async (id, pid) => {
      const startTime = await table.startTime(pid);
      const root = { hostId, terminalId: id, ...(startTime === null ? {} : { pid, startTime }) };
      return killTrees([root], table, { graceMs, spared: new Set([process.pid]) });
    },
  };
}
