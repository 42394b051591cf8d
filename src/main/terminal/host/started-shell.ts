import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { openPty, type Pty, type PtyExit, type PtyListener, type PtySpec } from './pty';
import { ordersFor, startOf, type WaitingShell } from './shell-orders';

/** A shell in its pty that waits, stopped, for its orders. They come in a file without a name, which only we hold open. */
export class StartedShell {
  readonly shell: WaitingShell;
  readonly #pty: Pty;
  readonly #orders: number;
  readonly #relay: Relay;

  /** Starts one; null when that cannot be. `folder`: where only this person can make files. */
  static start(shell: WaitingShell, folder: string): StartedShell | null {
    const orders = openNameless(folder);
    if (orders === null) return null;
    const relay = new Relay(() => closeSync(orders));
    const opened = openPty(startOf(shell, `/proc/${process.pid}/fd/${orders}`), relay);
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

  /** `null`: it has ended. */
  get state(): 'starting' | 'waiting' | null {
    const state = stateOfChild(this.#pty.pid);
    if (state === null || state === 'Z') return null;
    return state === 'T' ? 'waiting' : 'starting';
  }

  /** Makes a ready one the shell of a program; null when the orders could not be given, and nothing ran. */
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

/** Keeps what a pty tells until there is somebody to tell it to. */
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

  /** As with every pty, nothing is told before whoever opened it has gone on. */
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

/** A file that only this process has, and whoever it tells the number to. */
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

/** The state of a process (proc(5)) as long as it is a child of ours; its number may be another's by now. */
function stateOfChild(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(parent) === process.pid ? state : null;
  } catch {
    return null;
  }
}
