import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ProcessEntry, type ProcessTable, readTags, sendSignal } from './process-table';

/** Returns the process table of a system. */
export function systemProcesses(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === 'linux') return linuxProcesses();
  return platform === 'win32' ? windowsProcesses() : psProcesses();
}

/** Processes read between two turns of the event loop: about 5 ms. */
const READS_PER_TURN = 200;
/** Fields of `/proc/<pid>/stat` after the closing bracket of the name (proc(5), minus 3). */
const STATE = 0;
const PPID = 1;
const PGID = 2;
const SID = 3;
const START_TICKS = 19;

/** Reads the process table of Linux from `/proc`. */
function linuxProcesses(): ProcessTable {
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

/** Parses one line of `/proc/<pid>/stat`; null when it is malformed. `boot` makes start times unique across reboots. */
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
    name: stat.slice(open + 1, close),
  };
}

const tagsOf = (pid: number): Pick<ProcessEntry, 'terminal' | 'host'> =>
  readTags(readText(`/proc/${pid}/environ`) ?? '', '\0');

/** Reads a file; null when its process has just ended or belongs to another user. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

const run = promisify(execFile);
const PS_LIMITS = { maxBuffer: 64 * 1024 * 1024, timeout: 10_000 };
/** `lstart` is a date of exactly five words: `Sat Nov 21 21:59:03 2026`. */
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)(?:\s(.*))?$/;

/** Reads the process table of macOS and the BSDs from `ps`. */
function psProcesses(): ProcessTable {
  const read = async (args: readonly string[]): Promise<readonly ProcessEntry[]> => {
    const { stdout } = await run('ps', args, {
      ...PS_LIMITS,
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    return parsePs(stdout);
  };
  const startTime = async (pid: number): Promise<string | null> => {
    try {
      const [entry] = await read(['-o', 'pid=,ppid=,pgid=,stat=,lstart=', '-p', String(pid)]);
      return entry === undefined || entry.zombie ? null : entry.startTime;
    } catch {
      // ps fails when there is no such process.
      return null;
    }
  };
  return {
    list: () => read(['-A', '-E', '-ww', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command=']),
    startTime,
    async signal(entry, signal) {
      return (await startTime(entry.pid)) === entry.startTime
        ? sendSignal(entry.pid, signal)
        : 'gone';
    },
  };
}

/**
 * Parses the output of `ps -o pid=,ppid=,pgid=,stat=,lstart=[,command=]`. With `-E` the environment follows the
 * command.
 */
export function parsePs(output: string): readonly ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const match = LINE.exec(line);
    if (match === null) return [];
    const [, pid, ppid, pgid, state = '', started = '', command = ''] = match;
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgid: Number(pgid),
        sid: 0,
        startTime: started.replace(/\s+/g, ' '),
        zombie: state.startsWith('Z'),
        ...(command === '' ? {} : { name: basename(command.trim().split(' ', 1)[0] ?? '') }),
        ...readTags(command, ' '),
      },
    ];
  });
}

const WINDOWS_LIMITS = { maxBuffer: 64 * 1024 * 1024, timeout: 20_000, windowsHide: true };
const QUERY =
  'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }';

/** Reads the process table of Windows. Environments of others cannot be read there, so entries carry no tags. */
function windowsProcesses(): ProcessTable {
  const list = async (): Promise<readonly ProcessEntry[]> => {
    const { stdout } = await run(
      'powershell.exe',
      ['-NoProfile', '-Command', QUERY],
      WINDOWS_LIMITS,
    );
    return parseWindowsProcesses(stdout);
  };
  const startTime = async (pid: number): Promise<string | null> =>
    (await list()).find((entry) => entry.pid === pid)?.startTime ?? null;
  return {
    list,
    startTime,
    async signal(entry, signal) {
      // HUP and CONT mean nothing here.
      if (signal !== 'SIGTERM' && signal !== 'SIGKILL') return 'sent';
      if ((await startTime(entry.pid)) !== entry.startTime) return 'gone';
      // TERM is a polite taskkill: windows are asked to close, console programs are not reached.
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      try {
        await run('taskkill', ['/PID', String(entry.pid), '/T', ...force], WINDOWS_LIMITS);
        return 'sent';
      } catch {
        return 'denied';
      }
    },
  };
}

/** Parses lines of pid, parent pid and creation time. */
export function parseWindowsProcesses(output: string): readonly ProcessEntry[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const match = /^(\d+) (\d+) (\d*)$/.exec(line);
    if (match === null) return [];
    const [, pid, ppid, ticks = ''] = match;
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgid: Number(pid),
        sid: 0,
        startTime: ticks,
        zombie: false,
      },
    ];
  });
}
