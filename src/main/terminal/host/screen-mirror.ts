import { createRequire } from 'node:module';
import type { IFunctionIdentifier, ITerminalAddon, Terminal } from '@xterm/headless';
import { giveBoundedWidths } from '../../../shared/combining-marks';
import { Prompts } from '../../../shared/prompt-marks';
import { MAX_SCROLLBACK_LINES, SCROLLBACK_LINES } from '../../../shared/terminal';
import { bufferText } from '../../../shared/terminal-text';
import { ByteQueue } from './byte-queue';
import { writeScreen } from './screen-snapshot';

/** A picture longer than this is taken again with fewer lines; grows with the lines to keep. Bytes. */
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;
const FEWER_LINES = 500;
/** Unparsed output below this waits for a viewer; above, it is parsed once the terminal is quiet. Bytes. */
const LAZY_BYTES = 256 * 1024;
const QUIET_MS = 200;
/** Parsed in one go: about 4 ms at 35 MB/s. Bytes. */
const SLICE_BYTES = 128 * 1024;

/** A picture of a terminal: its pieces, written into an empty one of the same size, give the same state. */
export interface Snapshot {
  readonly cols: number;
  readonly rows: number;
  readonly pieces: readonly Buffer[];
}

/**
 * The screen of a terminal, kept without anybody looking. Output is parsed as late as possible: a command that
 * nobody watches is never parsed at all unless its output is long and full of controls.
 */
export class ScreenMirror {
  readonly #scrollback: number;
  readonly #backlog: ScreenBacklog;
  #cols: number;
  #rows: number;
  #emulator: Emulator | null = null;
  #parsing = false;
  #quiet: NodeJS.Timeout | null = null;
  #ended = false;
  #last: Promise<Snapshot> | null = null;

  /** `scrollback` lines are kept above the screen; the count is clamped. */
  constructor(cols: number, rows: number, scrollback: number = SCROLLBACK_LINES) {
    this.#cols = cols;
    this.#rows = rows;
    this.#scrollback = Math.trunc(Math.min(Math.max(scrollback || 0, 0), MAX_SCROLLBACK_LINES));
    this.#backlog = new ScreenBacklog(roomFor(this.#scrollback));
  }

  push(output: Buffer): void {
    if (this.#ended) return;
    this.#backlog.push(output);
    if (this.#backlog.isLong) this.#parseBacklog();
    else if (this.#backlog.bytes > LAZY_BYTES) this.#parseWhenQuiet();
  }

  /** Later output belongs to the new size, earlier output to the old one. */
  resize(cols: number, rows: number): void {
    if (this.#ended) return;
    this.#cols = cols;
    this.#rows = rows;
    if (this.#emulator === null && this.#backlog.bytes === 0) return;
    this.#parseAllThen(({ terminal }) => terminal.resize(cols, rows));
  }

  /** Removes all lines but the one of the cursor, as panes do; also from the picture of an ended terminal. */
  clear(): void {
    if (this.#last !== null) {
      this.#last = this.#last.then((last) => clearPicture(last, this.#scrollback));
      return;
    }
    this.#parseAllThen(({ terminal }) => terminal.clear());
    if (this.#ended) this.#keepPicture();
  }

  /**
   * Takes the screen and at most `scrollback` lines above it after everything pushed so far, and nothing later. Of an
   * ended terminal it gives all lines.
   */
  snapshot(scrollback: number = this.#scrollback): Promise<Snapshot> {
    if (this.#last !== null) return this.#last;
    return this.#ended ? this.#keepPicture() : this.#parsedPicture(scrollback);
  }

  /** Returns the screen and at most `scrollback` lines above it as text, wrapped lines joined. */
  async text(scrollback: number): Promise<string> {
    const { cols, rows, pieces } = await this.snapshot(scrollback);
    const { terminal } = openEmulator(cols, rows, this.#scrollback);
    for (const piece of pieces) terminal.write(piece);
    await new Promise<void>((resolve) => terminal.write('', resolve));
    const text = bufferText(terminal);
    terminal.dispose();
    return text;
  }

  #parsedPicture(scrollback: number = this.#scrollback): Promise<Snapshot> {
    return new Promise((resolve) => {
      this.#parseAllThen((emulator) => resolve(takePicture(emulator, scrollback)));
    });
  }

  /** Turns an ended terminal into its picture. */
  #keepPicture(): Promise<Snapshot> {
    this.#last = this.#parsedPicture().then((last) => {
      this.#release();
      return last;
    });
    return this.#last;
  }

  /** Takes no more output. */
  end(): void {
    this.#ended = true;
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    this.#backlog.leaveHidden();
  }

  /** Settles an ended screen. Little is kept raw until somebody asks; much is turned into its picture. */
  async settle(): Promise<void> {
    if (this.#emulator !== null || this.#backlog.bytes > LAZY_BYTES) await this.snapshot();
  }

  #parseWhenQuiet(): void {
    if (this.#quiet !== null) {
      this.#quiet.refresh();
      return;
    }
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      this.#backlog.leaveHidden();
      this.#parseBacklog();
    }, QUIET_MS);
  }

  /** Parses slice by slice, so that the host stays responsive; output pushed meanwhile is parsed too. */
  #parseBacklog(): void {
    if (this.#parsing) return;
    const slice = this.#backlog.take(SLICE_BYTES);
    if (slice === null) return;
    this.#parsing = true;
    this.#open().terminal.write(slice, () => {
      this.#parsing = false;
      this.#parseBacklog();
    });
  }

  /** Hands all waiting output to the parser now; `then` runs right after its last byte, before any later one. */
  #parseAllThen(then: (emulator: Emulator) => void): void {
    const emulator = this.#open();
    const { terminal } = emulator;
    this.#backlog.leaveHidden();
    for (let slice = this.#backlog.take(SLICE_BYTES); slice !== null; ) {
      terminal.write(slice);
      slice = this.#backlog.take(SLICE_BYTES);
    }
    terminal.write('', () => then(emulator));
  }

  #open(): Emulator {
    this.#emulator ??= openEmulator(this.#cols, this.#rows, this.#scrollback);
    return this.#emulator;
  }

  #release(): void {
    this.#emulator?.terminal.dispose();
    this.#emulator = null;
  }
}

/** An xterm without a page, and the prompts in it. */
interface Emulator {
  readonly terminal: Terminal;
  readonly prompts: Prompts;
}

function openEmulator(cols: number, rows: number, scrollback: number): Emulator {
  // CommonJS packages whose names Node cannot see: they must be required. Only at first need: it takes 15 ms.
  const load = createRequire(import.meta.url);
  const { Terminal }: typeof import('@xterm/headless') = load('@xterm/headless');
  const { Unicode11Addon }: { Unicode11Addon: new () => ITerminalAddon } =
    load('@xterm/addon-unicode11');
  const terminal = new Terminal({
    ...{ cols, rows, scrollback },
    allowProposedApi: true,
    logLevel: 'off',
  });
  refuseHugeCounts(terminal);
  // As wide as panes draw them.
  giveBoundedWidths(terminal, (taker) => new Unicode11Addon().activate(taker as Terminal));
  return { terminal, prompts: new Prompts(terminal) };
}

function takePicture(emulator: Emulator, scrollback: number): Snapshot {
  const { cols, rows } = emulator.terminal;
  const pieces = take(emulator, scrollback) ?? take(emulator, Math.min(scrollback, FEWER_LINES));
  // A screen alone that is as long has megabytes of links in it: better none than a host without memory.
  return { cols, rows, pieces: pieces ?? [] };
}

/** Returns what a cleared terminal looks like that has this picture. */
function clearPicture({ cols, rows, pieces }: Snapshot, scrollback: number): Promise<Snapshot> {
  const emulator = openEmulator(cols, rows, scrollback);
  const { terminal } = emulator;
  for (const piece of pieces) terminal.write(piece);
  return new Promise((resolve) => {
    terminal.write('', () => {
      terminal.clear();
      resolve(takePicture(emulator, scrollback));
      terminal.dispose();
    });
  });
}

/** Writes a picture with at most `scrollback` lines above the screen; null when it is too long. */
function take({ terminal, prompts }: Emulator, scrollback: number): readonly Buffer[] | null {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const text of writeScreen(terminal, scrollback, prompts.list())) {
    const piece = Buffer.from(text);
    bytes += piece.byteLength;
    if (bytes > MAX_PICTURE_BYTES * roomFor(scrollback)) return null;
    if (piece.byteLength > 0) pieces.push(piece);
  }
  return pieces;
}

/**
 * Counts above this are refused (docs/security.md 14): `ESC[2147483647S` and its kin loop once per count in xterm 6 and
 * freeze it for seconds to minutes. No real program asks for more than a screen has cells.
 */
const MAX_CSI_COUNT = 10_000;

/** Every CSI sequence whose work in xterm grows with its count. */
export const COUNTED_SEQUENCES: readonly IFunctionIdentifier[] = [
  ...[...'@AEFILMPSTXZabej'].map((final) => ({ final })),
  { intermediates: ' ', final: '@' },
  { intermediates: ' ', final: 'A' },
  { intermediates: "'", final: '}' },
  { intermediates: "'", final: '~' },
];

/** Makes a terminal ignore sequences with absurd counts. */
function refuseHugeCounts(terminal: Terminal): void {
  for (const sequence of COUNTED_SEQUENCES)
    terminal.parser.registerCsiHandler(sequence, hasHugeCount);
}

/** Returns true, which means "handled, do nothing more", when a parameter is too large. */
export const hasHugeCount = (params: (number | number[])[]): boolean =>
  params.flat().some((param) => param > MAX_CSI_COUNT);

/** Output that the screen mirror has not parsed yet, kept bounded. */

/** Returns how much more room lines need than those that are kept usually; at least 1. */
const roomFor = (lines: number): number => Math.max(1, lines / SCROLLBACK_LINES);

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
/** Bytes with a meaning beyond text and line ends: BEL, SO, SI, CAN, SUB, ESC, and C1 controls in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x07\x0e\x0f\x18\x1a\x1b]|\xc2[\x80-\x9f]/;
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
 * Drops plain text, which leaves no trace once it has scrolled away, but for its first line (it may end a sequence);
 * null when `old` holds controls.
 */
export function dropPlainText(old: Buffer): Buffer | null {
  const firstLine = old.indexOf(LINE_FEED) + 1;
  return hasControls(old.subarray(firstLine)) ? null : Buffer.from(old.subarray(0, firstLine));
}

/** Searched in one go: a string of all would be megabytes of garbage. Bytes. */
const SEARCHED_BYTES = 64 * 1024;

function hasControls(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.byteLength; at += SEARCHED_BYTES)
    // One byte more: a control may have two.
    if (CONTROL.test(bytes.toString('latin1', at, at + SEARCHED_BYTES + 1))) return true;
  return false;
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
