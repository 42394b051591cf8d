import type { Pty } from './pty';

/** The time until what a program has printed is here. Milliseconds. */
const ARRIVAL_MS = 100;

/**
 * Tells whether output comes from behind a shell that is at its prompt: since a moment before, the shell itself has written nothing.
 * Looks at how much that is while output comes, and goes by a look once all that was printed before it is here.
 */
export class QuerySource {
  readonly #pty: Pick<Pty, 'writtenBy' | 'isPaused'>;
  #shell: number | null = null;
  #known: string | null = null;
  /** The newest look; what was printed before it may be on its way. */
  #newest: string | null = null;
  /** Output came since the newest look. */
  #hasOutput = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(pty: Pick<Pty, 'writtenBy' | 'isPaused'>) {
    this.#pty = pty;
  }

  /** Notes that a shell has come to its prompt. */
  begin(shell: number): void {
    this.end();
    this.#shell = shell;
    this.output();
  }

  /** Notes that no shell is at its prompt. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    [this.#shell, this.#known, this.#newest, this.#hasOutput] = [null, null, null, false];
  }

  /** Notes that output came. */
  output(): void {
    if (this.#shell === null) return;
    this.#hasOutput = true;
    if (this.#timer === null) this.#wait();
  }

  /** Tells whether the newest output comes from behind the shell that has the terminal; `front` is who has it. */
  isBehind(front: number | null): boolean {
    if (this.#shell === null || this.#known === null || front !== this.#shell) return false;
    return this.#pty.writtenBy(this.#shell) === this.#known;
  }

  #wait(): void {
    const timer = setTimeout(() => {
      // Timers that are late run before the output is read that has come meanwhile.
      setImmediate(() => timer === this.#timer && this.#look());
    }, ARRIVAL_MS).unref();
    this.#timer = timer;
  }

  #look(): void {
    this.#timer = null;
    if (this.#shell === null) return;
    if (this.#pty.isPaused()) {
      this.#newest = null;
      this.#wait();
      return;
    }
    this.#known = this.#newest ?? this.#known;
    this.#newest = null;
    if (!this.#hasOutput) return;
    this.#hasOutput = false;
    this.#newest = this.#pty.writtenBy(this.#shell);
    this.#wait();
  }
}
