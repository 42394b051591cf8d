/** A terminal with more output than this within {@link WINDOW_MS} floods: nobody reads it line by line. Bytes. */
export const FLOOD_BYTES = 64 * 1024;
/** The time over which output is counted until a terminal floods. Milliseconds. */
export const WINDOW_MS = 250;
/** A turn ends after this much time or output, whichever comes first. */
export const TURN_MS = 20;
export const TURN_BYTES = 256 * 1024;

/** A terminal whose output can be left unread for a moment: its program waits meanwhile. */
export interface Flooding {
  holdUp(wait: boolean): void;
}

/** Output of a terminal in the current window, or in its turn. */
interface Count {
  bytes: number;
  since: number;
}

/** The parts that turns work with. */
export interface TurnOptions {
  /** Floods that are read at the same time. */
  readonly together: number;
  now(): number;
}

/**
 * Lets terminals that flood take turns. Two dozen programs that print without end would otherwise all run at once, and
 * leave the windows and the host itself a fraction of the processor. In turns they print as much together, because a
 * program whose turn it is not waits in the kernel. Terminals that do not flood are never held up.
 */
export class FloodTurns {
  readonly #options: TurnOptions;
  readonly #counts = new Map<Flooding, Count>();
  /** Terminals whose turn it is, and terminals that wait for theirs, the next one first. */
  readonly #reading = new Map<Flooding, Count>();
  readonly #waiting = new Set<Flooding>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Counts output of a terminal. */
  output(terminal: Flooding, bytes: number): void {
    const turn = this.#reading.get(terminal);
    if (turn !== undefined) {
      turn.bytes += bytes;
      if (turn.bytes >= TURN_BYTES) this.#next();
    } else if (!this.#waiting.has(terminal) && this.#floods(terminal, bytes)) this.#add(terminal);
  }

  /** Forgets a terminal that ended, or whose output must be read from now on. */
  leave(terminal: Flooding): void {
    this.#counts.delete(terminal);
    const left = this.#reading.delete(terminal) || this.#waiting.delete(terminal);
    if (left) terminal.holdUp(false);
    if (left) this.#next();
  }

  #floods(terminal: Flooding, bytes: number): boolean {
    const now = this.#options.now();
    const count = this.#counts.get(terminal) ?? { bytes: 0, since: now };
    const isOld = now - count.since > WINDOW_MS;
    const next = isOld ? { bytes, since: now } : { ...count, bytes: count.bytes + bytes };
    this.#counts.set(terminal, next);
    return next.bytes > FLOOD_BYTES;
  }

  #add(terminal: Flooding): void {
    this.#counts.delete(terminal);
    this.#waiting.add(terminal);
    if (this.#reading.size >= this.#options.together) terminal.holdUp(true);
    this.#next();
  }

  /** Ends the turns that are over, and begins those that there is room for. */
  #next(): void {
    const { together, now } = this.#options;
    const time = now();
    for (const [terminal, { bytes, since }] of this.#reading) {
      if (bytes < TURN_BYTES && time - since < TURN_MS) continue;
      this.#reading.delete(terminal);
      // One that had nothing to say in its turn does not flood any more.
      if (bytes === 0) continue;
      this.#waiting.add(terminal);
      if (this.#waiting.size > together - this.#reading.size) terminal.holdUp(true);
    }
    for (const terminal of this.#waiting) {
      if (this.#reading.size >= together) break;
      this.#waiting.delete(terminal);
      this.#reading.set(terminal, { bytes: 0, since: time });
      terminal.holdUp(false);
    }
    this.#lookLater();
  }

  #lookLater(): void {
    const isNeeded = this.#reading.size > 0;
    if (!isNeeded && this.#timer !== null) clearTimeout(this.#timer);
    if (!isNeeded) this.#timer = null;
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#next();
      }, TURN_MS).unref();
  }
}
