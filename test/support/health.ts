import type { HealthView } from '../../src/shared/health';

/** A Lathe in which nothing happens. */
export const HEALTHY: HealthView = {
  host: {
    ...{ pid: 4711, upMs: 60_000, memory: 90_000_000, heap: 40_000_000, heapLimit: 4_000_000_000 },
    ...{ openFiles: 42, openFilesLimit: 1_024, longestPauseMs: 3 },
  },
  sessions: [],
  idleLimit: 10,
  terminals: { running: 0, ended: 0, processes: 0, memory: 0 },
};
