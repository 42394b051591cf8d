import { realSchedule, type Schedule } from './idle-exit';
import type { Pty, PtyListener, PtySpec } from './pty';
import { isSameShell, type WaitingShell, waitingShellFor } from './shell-orders';
import { StartedShell } from './started-shell';

/** A shell that nobody needed for this long ends. Milliseconds. */
export const SPARE_MS = 60_000;

/**
 * Keeps at most one shell ready for the next command: forking a large process and starting a shell take longer than most
 * commands run. Only on Linux, because elsewhere starting a process copies nothing. When this process dies, the pty of the
 * shell hangs up, and it ends.
 */
export class SpareShell {
  readonly #folder: string;
  readonly #schedule: Schedule;
  #wanted: WaitingShell | null = null;
  #spare: StartedShell | null = null;
  #callOff: (() => void) | null = null;

  /** `folder`: where only this person can make files. */
  constructor(folder: string, schedule: Schedule = realSchedule) {
    this.#folder = folder;
    this.#schedule = schedule;
  }

  /** The pty of the spare shell, which runs this program from now on; null when none is ready that can. */
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

  /** Has a shell ready for a command like the last one. Blocks for the time of a fork. */
  prepare(): void {
    if (this.#wanted === null || this.#spare !== null) return;
    this.#spare = StartedShell.start(this.#wanted, this.#folder);
    if (this.#spare !== null) this.#callOff = this.#schedule(() => this.#drop(), SPARE_MS);
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
    this.#callOff?.();
    this.#callOff = null;
  }
}
