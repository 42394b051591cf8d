import type { Pty } from './pty';

/** What a program has printed is here by then. Milliseconds. */
const ARRIVAL_MS = 100;

/**
 * Tells whether output comes from the background: since a moment before, the programs in front have written nothing, and others have;
 * or a shell was at its prompt all the while, and no key came. Looks at what programs have done while output comes, and goes by a look
 * once all that was printed before it is here.
 */
export class QuerySource {
  readonly #pty: Pick<Pty, 'activity' | 'isPaused'>;
  #known: ReturnType<Pty['activity']> = null;
  /** The newest look; what was printed before it may be on its way. */
  #newest: ReturnType<Pty['activity']> = null;
  /** Output came since the newest look. */
  #hasOutput = false;
  /** A key or a mark of a shell came since the known look, or the newest one. */
  #stirred = { sinceKnown: false, sinceNewest: false };
  #timer: NodeJS.Timeout | null = null;

  constructor(pty: Pick<Pty, 'activity' | 'isPaused'>) {
    this.#pty = pty;
  }

  /** Notes that output came. */
  output(): void {
    this.#hasOutput = true;
    if (this.#timer === null) this.#wait();
  }

  /** Notes that a shell may have something to print: a line is read or run, or a key came. */
  stir(): void {
    this.#stirred = { sinceKnown: true, sinceNewest: true };
    this.output();
  }

  /** Tells whether the newest output comes from the background. */
  isBehind(isAtPrompt: boolean): boolean {
    const [known, now] = [this.#known, this.#pty.activity()];
    if (known === null || now === null || known.group !== now.group) return false;
    if (isAtPrompt && !this.#stirred.sinceKnown) return true;
    if (known.written !== now.written) return false;
    return isAtPrompt || (known.reaped === now.reaped && known.behind !== now.behind);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
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
    if (this.#pty.isPaused()) {
      this.#newest = null;
      this.#wait();
      return;
    }
    if (this.#newest !== null) {
      this.#known = this.#newest;
      this.#stirred = { ...this.#stirred, sinceKnown: this.#stirred.sinceNewest };
    }
    this.#newest = null;
    if (!this.#hasOutput) return;
    this.#hasOutput = false;
    this.#newest = this.#pty.activity();
    this.#stirred = { ...this.#stirred, sinceNewest: false };
    this.#wait();
  }
}
