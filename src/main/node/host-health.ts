import { readdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { HostHealth } from '../../shared/health';

/** Pauses are measured for this long after a look; then nobody looks any more. Milliseconds. */
const MEASURE_MS = 20_000;
/** Between two measures of a pause. Milliseconds. */
const RESOLUTION_MS = 20;

/** Creates what looks at this process. Between looks that are far apart it costs nothing. */
export function createHostProbe(): () => HostHealth {
  let pauses: IntervalHistogram | null = null;
  let ending: NodeJS.Timeout | undefined;
  const stop = () => {
    pauses?.disable();
    pauses = null;
  };
  return () => {
    const longestPauseMs = pauses === null ? null : Math.max(0, pauses.max / 1e6 - RESOLUTION_MS);
    clearTimeout(ending);
    ending = setTimeout(stop, MEASURE_MS).unref();
    if (pauses === null) {
      pauses = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      pauses.enable();
    } else pauses.reset();
    const { rss, heapUsed } = process.memoryUsage();
    return {
      ...{ pid: process.pid, upMs: process.uptime() * 1000, memory: rss, heap: heapUsed },
      heapLimit: getHeapStatistics().heap_size_limit,
      ...{ openFiles: countOpenFiles(), openFilesLimit: openFilesLimit(), longestPauseMs },
    };
  };
}

/** Counts what this process has open; null where the system does not tell. */
function countOpenFiles(): number | null {
  try {
    // The folder that is read is one of them.
    return readdirSync(process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd').length - 1;
  } catch {
    return null;
  }
}

/** Returns how many files this process may have open; null where that is not told, or there is no limit. */
export function openFilesLimit(): number | null {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/** Returns the room that is left on the disk of a folder; null where nobody knows. Bytes. */
export async function freeSpace(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
