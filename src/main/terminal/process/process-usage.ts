import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ProcessFacts } from '../../../shared/terminal';
import type { ProcessEntry } from './process-table';

/** The use a process makes of the machine at the moment; null where the system does not tell. */
type ProcessUsage = Pick<ProcessFacts, 'command' | 'startedAt' | 'cpu' | 'memory' | 'ports'>;

/** Reads what processes use. One reader remembers the processor time of its last reading. */
interface UsageReader {
  /** Returns the usage of each process by its pid; those that have just ended are missing. */
  read(entries: readonly ProcessEntry[]): Promise<ReadonlyMap<number, ProcessUsage>>;
}

/** Creates a reader for a system. `now` gives milliseconds of a clock that never goes back. */
export function createUsageReader(
  platform: NodeJS.Platform = process.platform,
  now: () => number = () => performance.now(),
): UsageReader {
  if (platform === 'linux') return linuxUsage(now);
  return platform === 'win32' ? { read: async () => new Map() } : psUsage();
}

/** The unit of processor and start times in `/proc`, whatever the kernel counts in (proc(5), USER_HZ). */
const TICKS_PER_SECOND = 100;
/** Fields of `/proc/<pid>/stat` after the closing bracket of the name (proc(5), minus 3). */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const MAX_COMMAND_CHARS = 500;

function linuxUsage(now: () => number): UsageReader {
  /** Processor time by process, and when it was read. */
  let last = new Map<string, { readonly ticks: number; readonly at: number }>();
  return {
    async read(entries) {
      const bootedAt = Number(/^btime (\d+)$/m.exec(readText('/proc/stat'))?.[1] ?? Number.NaN);
      const listening = listeningSockets();
      const read = new Map<string, { readonly ticks: number; readonly at: number }>();
      const usage = new Map<number, ProcessUsage>();
      for (const { pid, startTime } of entries) {
        const stat = readText(`/proc/${pid}/stat`);
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
        if (Number.isNaN(ticks)) continue;
        const key = `${pid}@${startTime}`;
        const before = last.get(key);
        const at = now();
        read.set(key, { ticks, at });
        const startedAt =
          bootedAt * 1000 + (Number(startTime.split('/').at(-1)) * 1000) / TICKS_PER_SECOND;
        const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`))?.[1];
        usage.set(pid, {
          command: readText(`/proc/${pid}/cmdline`)
            .split('\0')
            .join(' ')
            .trim()
            .slice(0, MAX_COMMAND_CHARS),
          startedAt: Number.isNaN(startedAt) ? null : startedAt,
          cpu:
            before === undefined || at <= before.at
              ? null
              : (ticks - before.ticks) / TICKS_PER_SECOND / ((at - before.at) / 1000),
          memory: kilobytes === undefined ? null : Number(kilobytes) * 1024,
          ports: listening.size === 0 ? [] : portsOf(pid, listening),
        });
      }
      last = read;
      return usage;
    },
  };
}

/** Returns the ports that are listened on, by the inode of the socket. */
function listeningSockets(): ReadonlyMap<string, number> {
  return new Map([
    ...parseListening(readText('/proc/net/tcp')),
    ...parseListening(readText('/proc/net/tcp6')),
  ]);
}

/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';

/** Parses `/proc/net/tcp`: pairs of the inode and the port of what listens. */
export function parseListening(text: string): readonly (readonly [string, number])[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const port = Number.parseInt(local.split(':').at(-1) ?? '', 16);
    return state === LISTENING && port > 0 ? [[inode, port] as const] : [];
  });
}

function portsOf(pid: number, listening: ReadonlyMap<string, number>): readonly number[] {
  const ports = namesIn(`/proc/${pid}/fd`).flatMap((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${fd}`))?.[1] ?? '';
    return listening.get(inode) ?? [];
  });
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** Reads a file; '' when its process has just ended or belongs to another user. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const run = promisify(execFile);
const LIMITS = { maxBuffer: 16 * 1024 * 1024, timeout: 10_000 };

/** Reads the usage of macOS and the BSDs from `ps` and `lsof`; without `lsof` no ports are known. */
function psUsage(): UsageReader {
  return {
    async read(entries) {
      const pids = entries.map(({ pid }) => pid).join(',');
      if (pids === '') return new Map();
      const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
      const [facts, sockets] = await Promise.all(
        [
          ['ps', '-ww', '-o', 'pid=,pcpu=,rss=,lstart=,command=', '-p', pids],
          ['lsof', '-nP', '-iTCP', '-sTCP:LISTEN', '-a', '-p', pids, '-F', 'pn'],
        ].map(([program = '', ...args]) =>
          run(program, args, { ...LIMITS, env }).then(
            ({ stdout }) => stdout,
            // Both fail when one of the processes is gone, and print the others.
            (error: { stdout?: string }) => error.stdout ?? '',
          ),
        ),
      );
      return parsePsUsage(facts ?? '', sockets ?? '');
    },
  };
}

const USAGE_LINE = /^\s*(\d+)\s+([\d.]+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s(.*)$/;

/** Parses `ps -o pid=,pcpu=,rss=,lstart=,command=`, and `lsof -F pn` of listening sockets. */
export function parsePsUsage(facts: string, sockets: string): ReadonlyMap<number, ProcessUsage> {
  const ports = new Map<number, number[]>();
  let owner = 0;
  for (const line of sockets.split('\n')) {
    if (line.startsWith('p')) owner = Number(line.slice(1));
    const port = Number(/^n.*:(\d+)$/.exec(line)?.[1] ?? 0);
    if (port > 0) ports.set(owner, [...(ports.get(owner) ?? []), port]);
  }
  const usage = new Map<number, ProcessUsage>();
  for (const line of facts.split('\n')) {
    const match = USAGE_LINE.exec(line);
    if (match === null) continue;
    const [, pid, percent, kilobytes, started = '', command = ''] = match;
    const startedAt = Date.parse(`${started} UTC`);
    usage.set(Number(pid), {
      command: command.slice(0, MAX_COMMAND_CHARS),
      startedAt: Number.isNaN(startedAt) ? null : startedAt,
      cpu: Number(percent) / 100,
      memory: Number(kilobytes) * 1024,
      ports: [...new Set(ports.get(Number(pid)) ?? [])].sort((a, b) => a - b),
    });
  }
  return usage;
}
