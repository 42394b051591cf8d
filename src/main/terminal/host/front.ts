import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Returns the foreground process group of a process's terminal, as Linux tells (proc(5), `tpgid`). */
export const foregroundOf = (pid: number): number | null => statOf(pid)?.terminalGroup ?? null;

/** Returns the file name of the program that leads a process group, as Linux tells, unless a child of it is in that group, too. */
export function programOf(group: number): string | null {
  try {
    const children = readFileSync(`/proc/${group}/task/${group}/children`, 'latin1').split(' ');
    if (children.some((child) => child !== '' && statOf(Number(child))?.group === group))
      return null;
    return basename(readlinkSync(`/proc/${group}/exe`));
  } catch {
    return null;
  }
}

/** Returns how many bytes a process has written so far, to whatever; null where Linux does not tell. */
export function writtenBy(pid: number): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? null;
  } catch {
    return null;
  }
}

function statOf(
  pid: number,
): { readonly group: number; readonly terminalGroup: number | null } | null {
  if (process.platform !== 'linux') return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, , group = 0, , , terminalGroup = 0] = fields;
    return { group, terminalGroup: terminalGroup > 0 ? terminalGroup : null };
  } catch {
    return null;
  }
}
