import type { Pty } from './pty';

/** Pauses between looks whether a program reads; the last one goes on. Milliseconds. */
const PAUSES_MS = [4, 8, 16, 32, 64, 100] as const;
/** A program that reads nothing for so long does not wait for an answer. Milliseconds. */
const PATIENCE_MS = 3_000;
/** A program that runs at so many looks may read without waiting. */
const MAX_RUNS = 5;

interface HeldAnswersOptions {
  readonly pty: Pick<Pty, 'write' | 'rest' | 'readsKeys'>;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Tells whether the program that asked still has the terminal. */
  isWanted(): boolean;
  failed(error: unknown): void;
}

/**
 * Holds answers until the program in front waits for input. One that sleeps all the while would leave them to the next program.
 */
export class HeldAnswers {
  readonly #options: HeldAnswersOptions;
  #held: Uint8Array[] = [];
  #since = 0;
  #looks = 0;
  #runs = 0;
  #sleep: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: HeldAnswersOptions) {
    this.#options = options;
  }

  /** Passes answers on, now or when the program reads. */
  give(bytes: Uint8Array): void {
    this.#held.push(bytes);
    if (this.#timer !== null) return;
    this.#since = this.#options.now();
    [this.#looks, this.#runs, this.#sleep] = [0, 0, null];
    this.#look();
  }

  /** Forgets all that is held. */
  drop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#held = [];
  }

  #look(): void {
    const { now, isWanted, failed } = this.#options;
    this.#timer = null;
    if (!isWanted() || now() - this.#since > PATIENCE_MS) this.drop();
    else if (!this.#mayRead()) {
      const pause = PAUSES_MS[Math.min(this.#looks, PAUSES_MS.length - 1)];
      this.#looks += 1;
      this.#timer = setTimeout(() => this.#look(), pause).unref();
    } else if (this.#looks === 0) this.#write(this.#held.splice(0));
    else this.#writeLater(this.#held.splice(0)).catch(failed);
  }

  #write(answers: readonly Uint8Array[]): void {
    for (const bytes of answers) this.#options.pty.write(bytes);
  }

  /** Writes what was held for a while, unless the program reads whole lines by now. */
  async #writeLater(answers: readonly Uint8Array[]): Promise<void> {
    const { pty, isWanted } = this.#options;
    if ((await pty.readsKeys()) && isWanted()) this.#write(answers);
  }

  /** Tells whether the program waits for input, or may look for some between its sleeps. */
  #mayRead(): boolean {
    const rest = this.#options.pty.rest();
    if (rest.kind === 'runs') this.#runs += 1;
    if (rest.kind !== 'sleeps') return rest.kind === 'waits' || this.#runs >= MAX_RUNS;
    const slept = this.#sleep;
    this.#sleep = rest.since;
    return slept !== null && slept !== rest.since;
  }
}
