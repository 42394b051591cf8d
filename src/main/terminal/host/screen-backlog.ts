import { SCROLLBACK_LINES } from '../../../shared/terminal';
import { ByteQueue } from './byte-queue';

/** Returns how much more room lines need than those that are kept usually; at least 1. */
export const roomFor = (lines: number): number => Math.max(1, lines / SCROLLBACK_LINES);

/** The newest output that is always kept: 10 000 lines of usual width. Bytes. */
export const KEEP_BYTES = 2 * 1024 * 1024;
/** Up to this, it is not looked whether something has scrolled away. Bytes. */
const SHORT_BYTES = 512 * 1024;
/** More rows than any screen has. */
const MAX_ROWS = 1_000;
/** Above this, output that can only have scrolled away is left out. Bytes. */
export const TRIM_BYTES = 4 * 1024 * 1024;
/** Above this, older text is left out in any case; its control sequences are kept. Bytes. */
export const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/**
 * Bytes with a meaning beyond text and line ends: BEL, SO, SI, CAN, SUB, ESC, and C1 controls in UTF-8. A sequence that
 * sets colours (SGR) is found whole.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /\x1b\[[\d:;]{0,64}m|[\x07\x0e\x0f\x18\x1a\x1b]|\xc2[\x80-\x9f]/g;
/** The longest match of it. Bytes. */
const LONGEST_CONTROL = 67;
/** Sets all attributes to none before any others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
const RESETS = /^\x1b\[(?:m|0[;m])/;
/** Sets the colour of the text, of what is behind it, or of underlines, out of more than sixteen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
const ONE_COLOUR = /^\x1b\[([345]8)(?:;5;\d+|;2;\d+;\d+;\d+|:[\d:]+)m$/;
/** More settings of colours than this without a reset are not plain text. */
const MAX_COLOURS = 100;
/** Complete escape sequences that set state: CSI, character sets, single characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[()*+][0-~]|[78=>cDEHMNOZ])/g;

/** A queue of output in arrival order. */
export class ScreenBacklog {
  readonly #room: number;
  readonly #queue = new ByteQueue();
  /** The old part was found to hold controls: not searched again until it has been taken. */
  #notPlain = false;
  /** With more than this it is looked whether something has scrolled away. Bytes. */
  #lookAt = SHORT_BYTES;

  /** All its limits are `room` times as large. */
  constructor(room = 1) {
    this.#room = room;
  }

  get bytes(): number {
    return this.#queue.length;
  }

  /** Holds more than is left to wait for a viewer. */
  get isLong(): boolean {
    return this.bytes > TRIM_BYTES * this.#room;
  }

  push(chunk: Buffer): void {
    this.#queue.push(chunk);
    if (this.bytes > this.#lookAt) this.leaveHidden();
    if (this.bytes > MAX_BACKLOG_BYTES * this.#room) this.#trim(keepSequences);
    else if (this.isLong && !this.#notPlain) this.#trim(dropPlainText);
  }

  /** Removes and returns the oldest output, at most `bytes` of it; null when there is none. */
  take(bytes: number): Buffer | null {
    if (this.bytes === 0) return null;
    const taken = this.#queue.take(bytes);
    if (!this.isLong) this.#notPlain = false;
    if (this.bytes === 0) this.#lookAt = SHORT_BYTES;
    return taken;
  }

  /** Leaves out plain text that has scrolled away when the newest is parsed. */
  leaveHidden(): void {
    this.#lookAt = Math.max(SHORT_BYTES, 2 * this.bytes);
    if (this.#notPlain || this.bytes < SEARCHED_BYTES) return;
    const all = this.#queue.view();
    const newest = startOfNewest(all, SCROLLBACK_LINES * this.#room + MAX_ROWS);
    const short = newest === 0 ? null : dropPlainText(all.subarray(0, newest));
    if (short === null) return;
    this.#queue.shorten(newest, short);
    this.#lookAt = Math.max(SHORT_BYTES, 2 * this.bytes);
  }

  /** Shortens everything but the newest part; `shorten` gives null when the old part must stay as it is. */
  #trim(shorten: (old: Buffer) => Buffer | null): void {
    const all = this.#queue.view();
    const newest = cutAfterLine(all, all.byteLength - KEEP_BYTES * this.#room);
    const short = shorten(all.subarray(0, newest));
    this.#notPlain = short === null;
    if (short !== null) this.#queue.shorten(newest, short);
  }
}

/**
 * Drops plain text, which leaves no trace once it has scrolled away, but for its first line (it may end a sequence) and
 * the colours that were set last; null when `old` holds other controls.
 */
export function dropPlainText(old: Buffer): Buffer | null {
  const firstLine = old.indexOf(LINE_FEED) + 1;
  const colours = coloursOf(old.subarray(firstLine));
  if (colours === null) return null;
  return Buffer.concat([old.subarray(0, firstLine), Buffer.from(colours, 'latin1')]);
}

/** Searched in one go: a string of all would be megabytes of garbage. Bytes. */
const SEARCHED_BYTES = 64 * 1024;

/** Returns what sets the colours that `bytes` end with; null when they hold other controls, or too many. */
function coloursOf(bytes: Buffer): string | null {
  // Each sets some attributes whatever they were before: of equal ones only the last counts.
  const colours = new Map<string, string>();
  for (let at = 0; at < bytes.byteLength; at += SEARCHED_BYTES) {
    const text = bytes.toString('latin1', at, at + SEARCHED_BYTES + LONGEST_CONTROL);
    for (const { 0: control, index } of text.matchAll(CONTROL)) {
      // The next search finds it.
      if (index >= SEARCHED_BYTES) break;
      if (!control.endsWith('m')) return null;
      const key = ONE_COLOUR.exec(control)?.[1] ?? control;
      if (RESETS.test(control)) colours.clear();
      else colours.delete(key);
      colours.set(key, control);
      if (colours.size > MAX_COLOURS) return null;
    }
  }
  return [...colours.values()].join('');
}

/** Returns what changes colours, modes and the cursor; gives up the text between. */
export function keepSequences(old: Buffer): Buffer {
  const found = old.toString('latin1').match(SEQUENCES)?.join('') ?? '';
  return Buffer.from(found.slice(-KEEP_BYTES), 'latin1');
}

/**
 * Returns the index of the line end before the newest `lines` whole lines; 0 when there are no more. A line feed alone
 * will not do: it leaves the cursor in its column.
 */
function startOfNewest(bytes: Buffer, lines: number): number {
  let left = lines;
  for (let at = bytes.byteLength - 1; at > 0; at -= 1)
    // By index: to look for each line end takes longer.
    if (bytes[at] === LINE_FEED) {
      if (left <= 0 && bytes[at - 1] === CARRIAGE_RETURN) return at - 1;
      left -= 1;
    }
  return 0;
}

/**
 * Returns the first position after `from` that follows a line end, or that begins a character when there is no line
 * end.
 */
function cutAfterLine(bytes: Buffer, from: number): number {
  const lineEnd = bytes.indexOf(LINE_FEED, from);
  if (lineEnd >= 0) return lineEnd + 1;
  let at = from;
  while (at < bytes.byteLength && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
