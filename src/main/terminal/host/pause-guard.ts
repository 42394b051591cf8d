import type { Pty } from './pty';

/**
 * A program that exits while its pty is paused loses what it wrote last (node-pty closes the pty 200 ms later), so a
 * paused pty's program is watched this closely. Milliseconds.
 */
const WATCH_MS = 50;
/** A pane that does not move for this long (a hidden window) no longer holds its program up. Milliseconds. */
const PATIENCE_MS = 2_000;

/** Lets a person's interactive terminal wait for its pane, within safe limits. */
export class PauseGuard {
  readonly #pty: Pick<Pty, 'pid' | 'pause' | 'resume'>;
  readonly #giveUp: () => void;
  #watch: NodeJS.Timeout | null = null;
  #released = false;

  /** `giveUp` is called when patience ends: the pane must be brought up to date another way. */
  constructor(pty: Pick<Pty, 'pid' | 'pause' | 'resume'>, giveUp: () => void) {
    this.#pty = pty;
    this.#giveUp = giveUp;
  }

  /** Pauses or resumes. */
  update(wanted: boolean): void {
    if (wanted && !this.#released) this.#pause();
    else this.#resume();
  }

  /** Resumes for good: the rest of the output must be read. */
  release(): void {
    this.#released = true;
    this.#resume();
  }

  #pause(): void {
    if (this.#watch !== null) return;
    this.#pty.pause();
    const since = performance.now();
    this.#watch = setInterval(() => {
      if (!isRunning(this.#pty.pid)) this.release();
      else if (performance.now() - since > PATIENCE_MS) this.#stopWaiting();
    }, WATCH_MS);
  }

  #resume(): void {
    if (this.#watch === null) return;
    clearInterval(this.#watch);
    this.#watch = null;
    this.#pty.resume();
  }

  #stopWaiting(): void {
    this.#resume();
    this.#giveUp();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
