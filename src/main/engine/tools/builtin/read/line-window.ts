import { cutLine, MAX_LINE_CHARS } from '../support/numbered-lines';

/** What the number in front of a line and the line end take. */
const NUMBER_CHARS = 8;

/** Which lines to take: from line `first` (1 is the first) at most `count`, and at most `maxChars` with numbers. */
export interface WindowBounds {
  readonly first: number;
  readonly count: number;
  readonly maxChars: number;
}

/** What was taken. `seen` counts the lines that went by, up to the whole text. */
export interface LineWindow {
  readonly lines: readonly string[];
  readonly seen: number;
  /** The window ended before its `count` because of `maxChars`. */
  readonly full: boolean;
}

/**
 * Takes a window of lines from a text that comes in pieces. Holds the window and the beginning of one line,
 * whatever the length of the text.
 */
export class LineCollector {
  readonly #bounds: WindowBounds;
  readonly #lines: string[] = [];
  #chars = 0;
  #full = false;
  #seen = 0;
  /** The beginning of the line that is still open, and its full length. */
  #open = '';
  #openLength = 0;

  constructor(bounds: WindowBounds) {
    this.#bounds = bounds;
  }

  /** Whether more text could still add to the window. */
  get wantsMore(): boolean {
    return !this.#full && this.#seen < this.#bounds.first + this.#bounds.count - 1;
  }

  add(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#extend(text, from, end);
      this.#close();
      from = end + 1;
    }
    this.#extend(text, from, text.length);
  }

  /** The end of the text. A last line without a line end counts; the nothing after a line end does not. */
  finish(): LineWindow {
    if (this.#openLength > 0) this.#close();
    return { lines: this.#lines, seen: this.#seen, full: this.#full };
  }

  #extend(text: string, from: number, to: number): void {
    const room = MAX_LINE_CHARS + 1 - this.#open.length;
    if (room > 0) this.#open += text.slice(from, Math.min(to, from + room));
    this.#openLength += to - from;
  }

  #close(): void {
    this.#seen += 1;
    if (this.#seen >= this.#bounds.first && this.#hasRoom()) this.#take();
    this.#open = '';
    this.#openLength = 0;
  }

  #hasRoom(): boolean {
    return !this.#full && this.#lines.length < this.#bounds.count;
  }

  #take(): void {
    const whole = this.#open.endsWith('\r') ? this.#open.slice(0, -1) : this.#open;
    const line = cutLine(whole, this.#openLength);
    this.#chars += line.length + NUMBER_CHARS;
    this.#full = this.#lines.length > 0 && this.#chars > this.#bounds.maxChars;
    if (!this.#full) this.#lines.push(line);
  }
}
