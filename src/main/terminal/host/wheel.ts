import { looksLikeQuestion } from '../../../shared/looks-like-question';
import type { Pty } from './pty';

/** A program that has printed nothing for this long may wait for an answer. Milliseconds. */
export const QUIET_MS = 300;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;

/** Returns a line without colours and titles. */
const plain = (line: string): string => line.replace(SEQUENCES, '');

/** The facts on who types into the terminal of a command, and whether its program reads a secret. */
export interface WheelState {
  /** The user has taken it, in whichever window. */
  readonly wheel: boolean;
  /** The program reads a line that the terminal does not show. */
  readonly secret: boolean;
}

/** The parts a wheel works with. */
export interface WheelOptions {
  readonly pty: Pick<Pty, 'readsSecret' | 'write'>;
  /** Returns the last line of the output as it came. */
  lastLine(): string;
  changed(state: WheelState): void;
  failed(error: unknown): void;
}

/**
 * Keeps who types into the terminal of a command. Looks at the mode of the terminal when the program falls silent on
 * what may be a question, or while the user has the wheel.
 */
export class Wheel {
  readonly #options: WheelOptions;
  #state: WheelState = { wheel: false, secret: false };
  #typed = false;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WheelOptions) {
    this.#options = options;
  }

  /** True when the user has typed into it. */
  get typed(): boolean {
    return this.#typed;
  }

  take(wheel: boolean): void {
    this.#change({ wheel });
    this.#lookWhenQuiet();
  }

  /** Notes that output came. */
  output(): void {
    this.#lookWhenQuiet();
  }

  /** Passes on what the user typed. */
  type(bytes: Uint8Array): void {
    this.#typed = true;
    this.#options.pty.write(bytes);
  }

  /**
   * Passes on a secret, when the program reads one at this very moment: otherwise the terminal would show it, and it
   * would stand in the output.
   */
  async typeSecret(bytes: Uint8Array): Promise<void> {
    await this.#look();
    if (this.#closed || !this.#state.secret) return;
    this.type(bytes);
    this.#lookWhenQuiet();
  }

  /** The program has ended. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #lookWhenQuiet(): void {
    if (this.#closed) return;
    if (this.#timer !== null) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const { wheel, secret } = this.#state;
      if (wheel || secret || looksLikeQuestion(plain(this.#options.lastLine())))
        this.#look().catch(this.#options.failed);
    }, QUIET_MS);
  }

  async #look(): Promise<void> {
    const secret = await this.#options.pty.readsSecret();
    if (!this.#closed) this.#change({ secret });
  }

  #change(change: Partial<WheelState>): void {
    const next = { ...this.#state, ...change };
    const { wheel, secret } = this.#state;
    this.#state = next;
    if (next.wheel !== wheel || next.secret !== secret) this.#options.changed(next);
  }
}
