import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { type ProcessEntry, type ProcessTable, readTags, sendSignal } from './process-table';

/** Processes read between two turns of the event loop: about 5 ms. */
const READS_PER_TURN = 200;
/** Fields of `/proc/<pid>/stat` after the closing bracket of the name (proc(5), minus 3). */
const STATE = 0;
const PPID = 1;
const PGID = 2;
const SID = 3;
const START_TICKS = 19;

/** The process table of Linux, from `/proc`. */
export function linuxProcesses(): ProcessTable {
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const readOne = (pid: number): ProcessEntry | null => {
    const stat = readText(`/proc/${pid}/stat`);
    return stat === null ? null : parseStat(stat, boot);
  };
  const startTime = (pid: number): string | null => {
    const entry = readOne(pid);
    return entry === null || entry.zombie ? null : entry.startTime;
  };
  return {
    async list() {
      const entries: ProcessEntry[] = [];
      let reads = 0;
      for (const name of readdirSync('/proc')) {
        if (!/^\d+$/.test(name)) continue;
        reads += 1;
        if (reads % READS_PER_TURN === 0) await nextLoop();
        const entry = readOne(Number(name));
        if (entry !== null) entries.push({ ...entry, ...tagsOf(entry.pid) });
      }
      return entries;
    },
    startTime: async (pid) => startTime(pid),
    async signal(entry, signal) {
      return startTime(entry.pid) === entry.startTime ? sendSignal(entry.pid, signal) : 'gone';
    },
  };
}

/** One line of `/proc/<pid>/stat`; null when it is malformed. `boot` makes start times unique across reboots. */
export function parseStat(stat: string, boot: string): ProcessEntry | null {
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  if (open < 0 || close < open) return null;
  const pid = Number(stat.slice(0, open));
  const fields = stat.slice(close + 2).split(' ');
  const ticks = fields[START_TICKS];
  if (!Number.isInteger(pid) || ticks === undefined) return null;
  return {
    pid,
    ppid: Number(fields[PPID]),
    pgid: Number(fields[PGID]),
    sid: Number(fields[SID]),
    startTime: `${boot}/${ticks}`,
    zombie: fields[STATE] === 'Z' || fields[STATE] === 'X',
  };
}

const tagsOf = (pid: number): Pick<ProcessEntry, 'terminal' | 'host'> =>
  readTags(readText(`/proc/${pid}/environ`) ?? '', '\0');

/** Null when the process has just ended, or is another person's. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
