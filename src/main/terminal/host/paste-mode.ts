import type { Pty } from './pty';
import type { Sign } from './query-scanner';

/** A program that has bracketed paste turned on reads key by key by then. Milliseconds. */
const SETTLE_MS = 200;
/** Turns bracketed paste off. */
const OFF = Buffer.from('\x1b[?2004l');

interface PasteModeOptions {
  readonly pty: Pick<Pty, 'readsKeys'>;
  /** Shows bytes that no program has printed. */
  show(bytes: Buffer): void;
  failed(error: unknown): void;
}

/**
 * Turns bracketed paste off where nobody reads the brackets: output, as of `cat`, has turned it on, and whole lines are read.
 * A pane would not ask before it sends lines that run one by one.
 */
export class PasteMode {
  readonly #options: PasteModeOptions;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PasteModeOptions) {
    this.#options = options;
  }

  /** Follows the signs in a piece of output. */
  note(signs: readonly Sign[]): void {
    const last = signs.findLast(({ kind }) => kind === 'reads' || kind === 'runs');
    if (last === undefined) return;
    this.close();
    if (last.kind === 'reads') this.#timer = setTimeout(() => this.#look(), SETTLE_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const { pty, show, failed } = this.#options;
    const timer = this.#timer;
    pty
      .readsKeys()
      // Nothing has been said about it meanwhile.
      .then((reads) => !reads && timer === this.#timer && show(OFF))
      .catch(failed);
  }
}
