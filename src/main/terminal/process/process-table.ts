/** The part of the system's process table that finding and ending a terminal's tree needs. */

/** One process for ever: pids are used again, but not together with their start times. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque. */
  readonly startTime: string;
}

/** One process at the moment of the scan. */
export interface ProcessEntry extends ProcessIdentity {
  readonly ppid: number;
  readonly pgid: number;
  /** Session id (the pid of its session leader); 0 where the system does not tell. */
  readonly sid: number;
  /** Dead already, only not yet collected by its parent. */
  readonly zombie: boolean;
  /** The name of its program, where the system tells it. */
  readonly name?: string;
  /** Value of {@link TERMINAL_TAG} in its environment. */
  readonly terminal?: string;
  /** Value of {@link HOST_TAG} in its environment. */
  readonly host?: string;
  /** The control group of a terminal that it is in. */
  readonly group?: string;
}

/** Environment variable that names the terminal a process was started in. */
export const TERMINAL_TAG = 'LATHE_TERMINAL';
/** Environment variable that names the terminal host a process was started by. */
export const HOST_TAG = 'LATHE_TERMINAL_HOST';

/** The outcome of a signal; `gone` also when the pid belongs to another process by now. */
export type SignalOutcome = 'sent' | 'gone' | 'denied';

/** Reading and signalling processes. */
export interface ProcessTable {
  /** Every process, with the tags of those whose environment we may read. */
  list(): Promise<readonly ProcessEntry[]>;
  /** The start time of a living process; null when there is none with this pid. */
  startTime(pid: number): Promise<string | null>;
  /** Signals exactly this process: nothing is sent when its start time has changed. */
  signal(entry: ProcessIdentity, signal: NodeJS.Signals): Promise<SignalOutcome>;
}

/** Sends a signal to a pid whose identity was just checked. */
export function sendSignal(pid: number, signal: NodeJS.Signals): SignalOutcome {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'denied' : 'gone';
  }
}

/** Tells whether a process with this pid runs, of whomever. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Returns the values of our two tags in the text of an environment, whose variables `separator` divides. */
export function readTags(
  environment: string,
  separator: string,
): Pick<ProcessEntry, 'terminal' | 'host'> {
  if (!environment.includes(TERMINAL_TAG)) return {};
  const terminal = variableIn(environment, TERMINAL_TAG, separator);
  const host = variableIn(environment, HOST_TAG, separator);
  return {
    ...(terminal === null ? {} : { terminal }),
    ...(host === null ? {} : { host }),
  };
}

function variableIn(environment: string, name: string, separator: string): string | null {
  const text = separator + environment;
  const marker = `${separator}${name}=`;
  const at = text.indexOf(marker);
  if (at < 0) return null;
  const start = at + marker.length;
  const end = text.indexOf(separator, start);
  return text.slice(start, end < 0 ? undefined : end).trim();
}
