import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** What the programs of a terminal have done so far, to compare with what they had done before. */
export interface Activity {
  /** The process group that has the terminal. */
  readonly group: number;
  /** How much its programs have written. */
  readonly written: string;
  /** What those did that they started and that have ended. */
  readonly reaped: string;
  /** How much the programs in the background have written and started. */
  readonly behind: string;
}

/**
 * What the programs that have a terminal do: wait for input, or may do so; run; or sleep until something else happens. Two sleeps
 * differ by `since` when a program ran in between.
 */
export type Rest =
  | { readonly kind: 'waits' | 'runs' }
  | { readonly kind: 'sleeps'; readonly since: string };

/** Trees with more processes are not looked at. */
const MAX_PROCESSES = 64;

/** Functions of the kernel in which a program waits for time, for a process, for another thread, or for a pipe. */
const NO_INPUT =
  /^(?:hrtimer_nanosleep|do_nanosleep|(?:kernel_)?(?:do_)?wait4?|(?:anon_)?pipe_read|futex_\w+|do_sigtimedwait|(?:rt_)?sigsuspend|\w*sys_pause)(?:\.|$)/;

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

/** Returns what the process `root` and those below it have done, by who has their terminal; null where Linux does not tell. */
export function activityOf(root: number): Activity | null {
  const group = foregroundOf(root);
  if (group === null) return null;
  try {
    const [written, reaped, behind]: string[][] = [[], [], []];
    for (const { pid, stat } of treeOf(root)) {
      const children = `${pid}:${stat.childFaults}`;
      if (stat.group !== group) {
        behind?.push(`${children}:${writtenBy(pid) ?? ''}`);
        continue;
      }
      const bytes = writtenBy(pid);
      if (bytes === null) return null;
      written?.push(`${pid}:${bytes}`);
      reaped?.push(children);
    }
    if (written?.length === 0) return null;
    return { group, written: `${written}`, reaped: `${reaped}`, behind: `${behind}` };
  } catch {
    return null;
  }
}

/** Returns what the programs do that have the terminal of `root`; `waits` where Linux does not tell. */
export function restOf(root: number): Rest {
  const group = foregroundOf(root);
  if (group === null) return { kind: 'waits' };
  try {
    const since: string[] = [];
    let runs = false;
    for (const { pid, stat } of treeOf(root)) {
      if (stat.group !== group) continue;
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const place = `/proc/${pid}/task/${thread}`;
        if (parseStat(readFileSync(`${place}/stat`, 'latin1')).state !== 'S') runs = true;
        else if (!NO_INPUT.test(readFileSync(`${place}/wchan`, 'latin1'))) return { kind: 'waits' };
        since.push(`${thread}:${switchesOf(place)}`);
      }
    }
    if (since.length === 0) return { kind: 'waits' };
    return runs ? { kind: 'runs' } : { kind: 'sleeps', since: `${since}` };
  } catch {
    // One of them has ended just now, or belongs to somebody else.
    return { kind: 'waits' };
  }
}

interface Stat {
  readonly state: string;
  readonly group: number;
  readonly terminalGroup: number | null;
  /** Page faults of children that have ended: every program has some. */
  readonly childFaults: number;
}

/** Reads the line of a process or thread (proc(5), `stat`). */
function parseStat(line: string): Stat {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group, , , terminalGroup, , , childFaults] = fields;
  return {
    state,
    group: Number(group),
    terminalGroup: Number(terminalGroup) > 0 ? Number(terminalGroup) : null,
    childFaults: Number(childFaults),
  };
}

function statOf(pid: number): Stat | null {
  if (process.platform !== 'linux') return null;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** Returns a process and all below it; throws where they are too many. */
function treeOf(root: number): readonly { readonly pid: number; readonly stat: Stat }[] {
  const found: { pid: number; stat: Stat }[] = [];
  const left = [root];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    const stat = statOf(pid);
    if (stat === null) continue;
    found.push({ pid, stat });
    if (found.length > MAX_PROCESSES) throw new RangeError('too many processes');
    left.push(...childrenOf(pid));
  }
  return found;
}

/** Returns the children of all threads of a process. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

/** Returns how much a process has written, to whatever; null when it belongs to somebody else. */
function writtenBy(pid: number): string | null {
  try {
    return /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Returns how often a thread has given up the processor to wait. */
const switchesOf = (place: string): string =>
  /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`${place}/status`, 'latin1'))?.[1] ?? '';
