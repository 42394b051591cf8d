import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ProcessEntry, type ProcessTable, readTags, sendSignal } from './process-table';

const run = promisify(execFile);
const LIMITS = { maxBuffer: 64 * 1024 * 1024, timeout: 10_000 };
/** `lstart` is a date of exactly five words: `Sat Nov 21 21:59:03 2026`. */
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)(?:\s(.*))?$/;

/** The process table of macOS and the BSDs, from `ps`. */
export function psProcesses(): ProcessTable {
  const read = async (args: readonly string[]): Promise<readonly ProcessEntry[]> => {
    const { stdout } = await run('ps', args, {
      ...LIMITS,
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

/** The output of `ps -o pid=,ppid=,pgid=,stat=,lstart=[,command=]`. With `-E` the environment follows the command. */
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
        ...readTags(command, ' '),
      },
    ];
  });
}
