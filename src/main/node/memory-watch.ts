import { readFileSync } from 'node:fs';

/** How often a program is looked at: the fastest of them take about 100 MB in that time. Milliseconds. */
const LOOK_MS = 100;

/**
 * Calls `onOver` once a process has more than so many bytes of memory of its own; files it only maps do not count. Gives
 * what ends the watching. Only Linux tells this for nothing: elsewhere no one is called, and time limits have to do.
 */
export function watchMemory(
  pid: number | undefined,
  maxBytes: number,
  onOver: () => void,
): () => void {
  if (pid === undefined || process.platform !== 'linux') return () => {};
  const timer = setInterval(() => {
    if (ownMemory(pid) <= maxBytes) return;
    clearInterval(timer);
    onOver();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** `RssAnon` of proc_pid_status(5), in bytes; 0 for a process that is gone. */
function ownMemory(pid: number): number {
  try {
    const told = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(told?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
