import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessEntry, ProcessTable } from './process-table';

const run = promisify(execFile);
const LIMITS = { maxBuffer: 64 * 1024 * 1024, timeout: 20_000, windowsHide: true };
const QUERY =
  'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }';

/** The process table of Windows. Environments of others cannot be read there, so entries carry no tags. */
export function windowsProcesses(): ProcessTable {
  const list = async (): Promise<readonly ProcessEntry[]> => {
    const { stdout } = await run('powershell.exe', ['-NoProfile', '-Command', QUERY], LIMITS);
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
        await run('taskkill', ['/PID', String(entry.pid), '/T', ...force], LIMITS);
        return 'sent';
      } catch {
        return 'denied';
      }
    },
  };
}

/** Lines of pid, parent pid and creation time. */
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
