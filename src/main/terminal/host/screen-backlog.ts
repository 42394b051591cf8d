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
const SPACE = 0x20;
const ESC = 0x1b;
/** Bytes with a meaning beyond text and line ends, but for ESC: BEL, SO, SI, CAN, SUB. */
const CONTROLS: readonly number[] = [0x07, 0x0e, 0x0f, 0x18, 0x1a];
/** The first byte of C1 controls in UTF-8. */
const C1_LEAD = 0xc2;
const LETTER_M = 0x6d;
/** The longest sequence that is taken for one that sets colours, without its last byte. Bytes. */
const LONGEST_COLOURS = 65;
/** Sets the colour of the text, of what is behind it, or of underlines, out of more than sixteen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
const ONE_COLOUR = /^\x1b\[([345]8)(?:;5;\d+|;2;\d+;\d+;\d+|:[\d:]+)m$/;
/** More settings of colours than this without a reset are not plain text. */
const MAX_COLOURS = 100;
/** Starts and ends that are kept before they are made texts. */
const MAX_PLACES = 2_000;
/** Complete sequences that set state: shifts, CSI, character sets, single characters, colours of the palette. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
  /[\x0e\x0f]|\x1b(?:\[[0-?]*[ -/]*[@-~]|[(-/][0-~]|%[@G]|[78=>cDEHMNOZno|}~]|\](?:4|1[0-2]|104|11[0-2])(?:;[^\x07\x1b]{0,4096})?(?:\x07|\x1b\\))/g;

/** Resets a terminal wholly (RIS), also in the middle of another sequence. */
const RESET = Buffer.from('\x1bc');
/** Complete sequences that outlive a reset in xterm: whether the cursor shows, the marks of prompts, colours of the palette. */
const OVER_RESET =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
  /\x1b\[\?(?:[\d:;]*;)?25(?:;[\d:;]*)?[hl]|\x1b\](?:133|4|1[0-2]|104|11[0-2])(?:;[^\x07\x1b]{0,4096})?(?:\x07|\x1b\\)/g;

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

  /** Leaves out what a reset takes away, and plain text that has scrolled away, when the newest is parsed. */
  leaveHidden(): void {
    this.#leaveReset();
    this.#lookAt = Math.max(SHORT_BYTES, 2 * this.bytes);
    if (this.#notPlain || this.bytes < SEARCHED_BYTES) return;
    const all = this.#queue.view();
    const newest = startOfNewest(all, SCROLLBACK_LINES * this.#room + MAX_ROWS);
    const short = newest === 0 ? null : dropPlainText(all.subarray(0, newest));
    if (short === null) return;
    this.#queue.shorten(newest, short);
    this.#lookAt = Math.max(SHORT_BYTES, 2 * this.bytes);
  }

  /** Each reset takes as long as drawing the screen anew, and of all but the last nothing is left. */
  #leaveReset(): void {
    if (this.bytes < SEARCHED_BYTES) return;
    const all = this.#queue.view();
    const reset = all.lastIndexOf(RESET);
    if (reset > 0) this.#queue.shorten(reset, keepOverReset(all.subarray(0, reset)));
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

/** Returns what is left of output that a reset follows. Its beginning may end a sequence. */
function keepOverReset(old: Buffer): Buffer {
  const text = old.toString('latin1');
  const start = text.indexOf('\x1b');
  const kept = start < 0 ? text : text.slice(0, start) + (text.match(OVER_RESET)?.join('') ?? '');
  return Buffer.from(kept, 'latin1');
}

/** Below this it is not worth a search. Bytes. */
const SEARCHED_BYTES = 64 * 1024;

/**
 * Returns what sets the colours that `bytes` end with; null when they hold other controls, or too many. Goes byte by byte and makes
 * strings of the last settings only, because it sees all output of a flood.
 */
function coloursOf(bytes: Buffer): string | null {
  /** The places of the settings since the last reset: starts and ends. */
  let places: number[] = [];
  let earlier: readonly string[] = [];
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= SPACE && byte !== C1_LEAD) continue;
    if (byte === C1_LEAD && isC1(bytes[at + 1] ?? 0)) return null;
    if (CONTROLS.includes(byte)) return null;
    if (byte !== ESC) continue;
    const end = endOfColours(bytes, at);
    if (end === null) return null;
    if (resets(bytes, at)) [places, earlier] = [[], []];
    places.push(at, end);
    if (places.length > MAX_PLACES) {
      earlier = lastOfEach([...earlier, ...textsAt(bytes, places)]);
      if (earlier.length > MAX_COLOURS) return null;
      places = [];
    }
    at = end - 1;
  }
  const last = lastOfEach([...earlier, ...textsAt(bytes, places)]);
  return last.length > MAX_COLOURS ? null : last.join('');
}

const textsAt = (bytes: Buffer, places: readonly number[]): readonly string[] =>
  places.flatMap((start, i) => (i % 2 === 0 ? bytes.toString('latin1', start, places[i + 1]) : []));

/** Returns settings without those that a later one replaces: each sets some attributes whatever they were before. */
function lastOfEach(settings: readonly string[]): readonly string[] {
  const last = new Map<string, string>();
  for (const setting of settings) {
    const key = ONE_COLOUR.exec(setting)?.[1] ?? setting;
    last.delete(key);
    last.set(key, setting);
  }
  return [...last.values()];
}

/** Tells whether the setting at `start` sets all attributes to none before any others. */
function resets(bytes: Buffer, start: number): boolean {
  const [first, second] = [bytes[start + 2], bytes[start + 3]];
  return first === LETTER_M || (first === 0x30 && (second === LETTER_M || second === 0x3b));
}

/** Returns the end of a sequence that sets colours (SGR) and begins at an ESC; null when it is another one. */
function endOfColours(bytes: Buffer, start: number): number | null {
  if (bytes[start + 1] !== 0x5b) return null;
  let at = start + 2;
  // Digits, colons and semicolons.
  while (at - start <= LONGEST_COLOURS && isParameter(bytes[at] ?? 0)) at += 1;
  return bytes[at] === LETTER_M ? at + 1 : null;
}

const isParameter = (byte: number): boolean => byte >= 0x30 && byte <= 0x3b;
const isC1 = (byte: number): boolean => byte >= 0x80 && byte <= 0x9f;

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
