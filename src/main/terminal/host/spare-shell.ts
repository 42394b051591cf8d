import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ControlGroups } from '../process/control-groups';
import { TERMINAL_TAG } from '../process/process-table';
import { openInGroup, type Pty, type PtyExit, type PtyListener, type PtySpec } from './pty';

/** A shell that nobody needed for this long ends. Milliseconds. */
export const SPARE_MS = 60_000;

/**
 * Keeps at most one shell ready for the next command: forking a large process and starting a shell take longer than most
 * commands run. Only on Linux, because elsewhere starting a process copies nothing. When this process dies, the pty of the
 * shell hangs up, and it ends.
 */
export class SpareShell {
  readonly #folder: string;
  readonly #groups: ControlGroups | null;
  readonly #schedule: Schedule;
  #wanted: WaitingShell | null = null;
  #spare: StartedShell | null = null;
  #cancelExpiry: (() => void) | null = null;

  /** Only this user may write in `folder`. Each shell gets a group of its own, where there are groups. */
  constructor(
    folder: string,
    groups: ControlGroups | null = null,
    schedule: Schedule = scheduleTimeout,
  ) {
    this.#folder = folder;
    this.#groups = groups;
    this.#schedule = schedule;
  }

  /** Returns the pty of the spare shell, which runs this program from now on; null when no fitting one is ready. */
  take(spec: PtySpec, listener: PtyListener): Pty | null {
    this.#wanted = process.platform === 'linux' ? waitingShellFor(spec) : null;
    const spare = this.#spare;
    if (spare === null || this.#wanted === null) return null;
    const { state } = spare;
    // It is there for the next command.
    if (state === 'starting' && isSameShell(spare.shell, this.#wanted)) return null;
    this.#forget();
    if (state === 'waiting' && isSameShell(spare.shell, this.#wanted))
      return spare.run(spec, listener);
    spare.end();
    return null;
  }

  /** Starts a shell for a command like the last one. Blocks for the time of a fork. */
  prepare(): void {
    if (this.#wanted === null || this.#spare !== null) return;
    this.#spare = StartedShell.start(this.#wanted, this.#folder, this.#groups);
    if (this.#spare !== null) this.#cancelExpiry = this.#schedule(() => this.#drop(), SPARE_MS);
  }

  /** Ends the spare shell; there is another one after the next command. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#wanted = null;
    await this.#drop();
  }

  #drop(): Promise<void> | undefined {
    const spare = this.#spare;
    this.#forget();
    return spare?.end();
  }

  #forget(): void {
    this.#spare = null;
    this.#cancelExpiry?.();
    this.#cancelExpiry = null;
  }
}

/** Runs `act` after `ms` milliseconds; the function it returns cancels that. */
type Schedule = (act: () => void, ms: number) => () => void;

const scheduleTimeout: Schedule = (act, ms) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/**
 * A shell in its pty that waits, stopped, for its orders. They come in a file without a name, which only we hold open.
 */
export class StartedShell {
  readonly shell: WaitingShell;
  readonly #pty: Pty;
  readonly #orders: number;
  readonly #relay: Relay;

  /** Starts one; null when that fails. Only this user may write in `folder`. */
  static start(
    shell: WaitingShell,
    folder: string,
    groups: ControlGroups | null = null,
  ): StartedShell | null {
    const orders = openNameless(folder);
    if (orders === null) return null;
    const relay = new Relay(() => closeSync(orders));
    const start = startOf(shell, `/proc/${process.pid}/fd/${orders}`);
    const opened = openInGroup(groups, start, relay);
    if (opened.ok) return new StartedShell(shell, opened.value, orders, relay);
    closeSync(orders);
    return null;
  }

  private constructor(shell: WaitingShell, pty: Pty, orders: number, relay: Relay) {
    this.shell = shell;
    this.#pty = pty;
    this.#orders = orders;
    this.#relay = relay;
  }

  /** Null when it has ended. */
  get state(): 'starting' | 'waiting' | null {
    const state = stateOfChild(this.#pty.pid);
    if (state === null || state === 'Z') return null;
    return state === 'T' ? 'waiting' : 'starting';
  }

  /** Turns a waiting one into the shell of a program; null when the orders could not be given, and nothing ran. */
  run(spec: PtySpec, listener: PtyListener): Pty | null {
    try {
      writeFileSync(this.#orders, ordersFor(spec));
    } catch {
      // A full disk: with half of its orders it must never go on.
      this.end();
      return null;
    }
    process.kill(this.#pty.pid, 'SIGCONT');
    this.#relay.handTo(listener);
    return this.#pty;
  }

  /** Ends one that has no orders. Resolves when it is gone. */
  end(): Promise<void> {
    if (stateOfChild(this.#pty.pid) !== null) process.kill(this.#pty.pid, 'SIGKILL');
    return this.#relay.over;
  }
}

/** Holds the output of a pty until there is a listener. */
class Relay implements PtyListener {
  readonly #closed: () => void;
  readonly #over = Promise.withResolvers<void>();
  #early: Buffer[] = [];
  #listener: PtyListener | null = null;

  constructor(closed: () => void) {
    this.#closed = closed;
  }

  get over(): Promise<void> {
    return this.#over.promise;
  }

  output(chunk: Buffer): void {
    if (this.#listener === null) this.#early.push(chunk);
    else this.#listener.output(chunk);
  }

  exited(exit: PtyExit): void {
    this.#closed();
    this.#over.resolve();
    this.#listener?.exited(exit);
  }

  /** Sets the listener. As with every pty, it hears nothing before whoever opened it has gone on. */
  handTo(listener: PtyListener): void {
    queueMicrotask(() => {
      this.#listener = listener;
      for (const chunk of this.#early.splice(0)) listener.output(chunk);
    });
  }
}

/** A file in memory takes 10 µs to make, one on a disk thirty times as long. */
const IN_MEMORY = '/dev/shm';

/** `O_TMPFILE` of open(2): a file in a folder that never has a name. Node does not list it. */
const NAMELESS = 0o20000000 | constants.O_DIRECTORY;

/** Opens a file without a name, which only this process can reach and whoever it tells the number. */
function openNameless(folder: string): number | null {
  for (const place of [IN_MEMORY, folder]) {
    try {
      return openSync(place, NAMELESS | constants.O_WRONLY, 0o600);
    } catch {
      // The next place.
    }
  }
  return null;
}

/**
 * Returns the state of a process (proc(5)); null when it is no child of ours, because its number may be another's by
 * now.
 */
function stateOfChild(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(parent) === process.pid ? state : null;
  } catch {
    return null;
  }
}

/**
 * A shell that is started before its command is known. Its program, script, environment and size are those of the command;
 * the arguments of the script, the folder and the name of the terminal come late, as orders.
 */
export interface WaitingShell extends Pick<PtySpec, 'env' | 'cols' | 'rows'> {
  readonly shell: string;
  readonly script: string;
  readonly name: string;
}

/**
 * Reads the orders until there are some, stopped in between. It stands on the first line of the script, so that the line
 * numbers of error messages stay what they are. Where orders cannot be read it ends before anybody counts on it.
 */
const WAIT = `while . "$1" || exit 1; [ -z "\${__lathe_go-}" ]; do kill -STOP "$$"; done; unset __lathe_go; `;

/** Shells that know what {@link WAIT} needs, and read no file before it. */
const SHELLS: ReadonlySet<string> = new Set(['bash', 'dash', 'sh']);

/**
 * Variables that make a shell do something when it starts, or change what waiting comes to: it must not start ahead
 * then.
 */
const NOT_AHEAD = /^(BASH_ENV|BASHOPTS|SHELLOPTS|SECONDS|BASH_FUNC_.*)$/;

/**
 * Returns the waiting shell for a program of the form `shell -c script name argument…`; null when it must be started
 * when it is known.
 */
export function waitingShellFor({ argv, env, cols, rows }: PtySpec): WaitingShell | null {
  const [shell = '', option, script, name, ...late] = argv;
  if (option !== '-c' || script === undefined || name === undefined || late.length === 0)
    return null;
  if (!SHELLS.has(basename(shell))) return null;
  if (Object.keys(env).some((variable) => NOT_AHEAD.test(variable))) return null;
  const { [TERMINAL_TAG]: _, ...kept } = env;
  return { shell, script, name, env: kept, cols, rows };
}

/** Tells whether one waiting shell is as good as the other. */
const isSameShell = (one: WaitingShell, other: WaitingShell): boolean =>
  isSameRecord({ ...one, env: '' }, { ...other, env: '' }) && isSameRecord(one.env, other.env);

const isSameRecord = (
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean => {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
};

/** Returns how to start a waiting shell. It looks for its orders in the file `place` and runs in no project's folder. */
const startOf = ({ shell, script, name, ...rest }: WaitingShell, place: string): PtySpec => ({
  ...rest,
  argv: [shell, '-c', WAIT + script, name, place],
  cwd: '/',
});

/** Returns shell text that turns a waiting shell into the one of a program, in the state in which a fresh one begins. */
function ordersFor({ argv, cwd, env }: PtySpec): string {
  return [
    `__lathe_go=\${OLDPWD-}`,
    `cd -- ${quote(cwd)} || exit 1`,
    'if [ -n "$__lathe_go" ]; then OLDPWD=$__lathe_go; else unset OLDPWD; fi',
    // In bash it is for programs even before it is set, and seconds count from the start of the shell.
    `if [ -n "\${BASH_VERSION-}" ]; then export OLDPWD; SECONDS=0; fi`,
    `export ${TERMINAL_TAG}=${quote(env[TERMINAL_TAG] ?? '')}`,
    '__lathe_go=1',
    `set -- ${argv.slice(4).map(quote).join(' ')}\n`,
  ].join('\n');
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
