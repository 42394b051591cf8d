import { createRequire } from 'node:module';
import type { ITerminalAddon, Terminal } from '@xterm/headless';
import { giveBoundedWidths } from '../../../shared/combining-marks';
import { Prompts, RUNNING } from '../../../shared/prompt-marks';
import { MAX_SCROLLBACK_LINES, SCROLLBACK_LINES } from '../../../shared/terminal';
import { boundCounts } from '../../../shared/terminal-counts';
import { TerminalPalette } from '../../../shared/terminal-palette';
import { bufferText, createOutputDecoder, writeInPieces } from '../../../shared/terminal-text';
import { mendFaults } from '../../../shared/xterm-faults';
import { roomFor, ScreenBacklog } from './screen-backlog';
import { writeScreen } from './screen-snapshot';
import { isBetweenSequences } from './xterm-internals';

/** A picture longer than this is taken again with fewer lines; grows with the lines to keep. Bytes. */
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;
const FEWER_LINES = 500;
/** Unparsed output below this waits for a viewer; above, it is parsed once the terminal is quiet. Bytes. */
const LAZY_BYTES = 256 * 1024;
/** A screen that nobody looked at for this long, or whose terminal is quiet for it, rests. Milliseconds. */
const REST_MS = 1_000;
/** Given to the parser at once: about 4 ms at 35 MB/s. Bytes. */
const SLICE_BYTES = 128 * 1024;

/** A picture of a terminal: its pieces, written into an empty one of the same size, give the same state. */
export interface Snapshot {
  readonly cols: number;
  readonly rows: number;
  readonly pieces: readonly Buffer[];
}

/** Carries acts out one after the other. */
type InTurn = (act: () => Promise<void>) => Promise<void>;

interface MirrorOptions {
  /** Lines kept above the screen; clamped. */
  readonly scrollback?: number | undefined;
  /** Bounds the memory for going to rest. */
  readonly inTurn?: InTurn;
  /** It draws no line again by itself when it gets a new size, as a shell does with that of its prompt. */
  readonly isCommand?: boolean;
}

/**
 * The screen of a terminal, kept without anybody looking. Output is parsed as late as possible: a command that
 * nobody watches is never parsed at all unless its output is long and full of controls. A screen *rests* while nobody
 * looks: it is kept as its picture, which takes a tenth of the memory.
 */
export class ScreenMirror {
  readonly #scrollback: number;
  readonly #backlog: ScreenBacklog;
  readonly #decode = createOutputDecoder();
  readonly #inTurn: InTurn;
  readonly #isCommand: boolean;
  #cols: number;
  #rows: number;
  #emulator: Emulator | null = null;
  /** The screen before what waits to be parsed, while it rests. */
  #resting: Snapshot | null = null;
  #parsing = false;
  /** Times that the screen was wanted as of all output. */
  #asked = 0;
  #restTimer: NodeJS.Timeout | null = null;
  #ended = false;
  #last: Promise<Snapshot> | null = null;

  constructor(cols: number, rows: number, options: MirrorOptions = {}) {
    const { scrollback = SCROLLBACK_LINES, inTurn = (act) => act(), isCommand = false } = options;
    this.#inTurn = inTurn;
    this.#isCommand = isCommand;
    this.#cols = cols;
    this.#rows = rows;
    this.#scrollback = Math.trunc(Math.min(Math.max(scrollback || 0, 0), MAX_SCROLLBACK_LINES));
    this.#backlog = new ScreenBacklog(roomFor(this.#scrollback));
  }

  push(output: Buffer): void {
    if (this.#ended) return;
    this.#backlog.push(output);
    if (this.#backlog.isLong) this.#parseBacklog();
    else if (this.#emulator === null && this.#backlog.bytes > LAZY_BYTES) this.#restLater();
  }

  /** Later output belongs to the new size, earlier output to the old one. */
  resize(cols: number, rows: number): void {
    if (this.#ended) return;
    const isEmpty = this.#emulator === null && this.#resting === null && this.#backlog.bytes === 0;
    if (!isEmpty) this.#parseAllThen(({ terminal }) => terminal.resize(cols, rows));
    this.#cols = cols;
    this.#rows = rows;
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
   * ended or resting terminal it gives all lines.
   */
  snapshot(scrollback: number = this.#scrollback): Promise<Snapshot> {
    if (this.#last !== null) return this.#last;
    if (this.#ended) return this.#keepPicture();
    if (this.#resting !== null && this.#backlog.bytes === 0) return Promise.resolve(this.#resting);
    return this.#parsedPicture(scrollback);
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

  /** Puts the picture in the place of the emulator, unless somebody looks meanwhile. */
  rest(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const asked = this.#asked + 1;
    return new Promise((resolve) => {
      this.#parseAllThen((emulator) => {
        if (this.#asked === asked && !this.#parsing) this.#restAs(emulator);
        resolve();
      });
      // It is nobody who looks.
      this.#stopTimer();
    });
  }

  /** Takes no more output. */
  end(): void {
    this.#ended = true;
    this.#stopTimer();
    this.#backlog.leaveHidden();
  }

  /** Settles an ended screen. Little is kept raw until somebody asks; much is turned into its picture. */
  async settle(): Promise<void> {
    if (this.#emulator !== null || this.#backlog.bytes > LAZY_BYTES) await this.snapshot();
  }

  #restLater(): void {
    if (this.#ended) return;
    if (this.#restTimer !== null) {
      this.#restTimer.refresh();
      return;
    }
    this.#restTimer = setTimeout(() => {
      this.#restTimer = null;
      void this.#inTurn(async () => {
        if (this.#restTimer === null) await this.rest();
      });
    }, REST_MS).unref();
  }

  #stopTimer(): void {
    if (this.#restTimer !== null) clearTimeout(this.#restTimer);
    this.#restTimer = null;
  }

  #restAs(emulator: Emulator): void {
    // In the middle of a long sequence there is no picture: what follows would be taken for text.
    if (!isBetweenSequences(emulator.terminal)) {
      this.#restLater();
      return;
    }
    const { cols, rows } = emulator.terminal;
    const pieces = take(emulator, this.#scrollback, MAX_PICTURE_BYTES);
    if (pieces === null) return;
    this.#resting = { cols, rows, pieces };
    this.#release();
  }

  /** Parses slice by slice, so that the host stays responsive; output pushed meanwhile is parsed too. */
  #parseBacklog(): void {
    if (this.#parsing) return;
    const slice = this.#backlog.take(SLICE_BYTES);
    if (slice === null) {
      this.#restLater();
      return;
    }
    this.#parsing = true;
    writeInPieces(this.#open().terminal, this.#decode(slice), () => {
      this.#parsing = false;
      this.#parseBacklog();
    });
  }

  /** Hands all waiting output to the parser now; `then` runs right after its last byte, before any later one. */
  #parseAllThen(then: (emulator: Emulator) => void): void {
    const emulator = this.#open();
    const { terminal } = emulator;
    this.#asked += 1;
    this.#restLater();
    this.#backlog.leaveHidden();
    for (let slice = this.#backlog.take(SLICE_BYTES); slice !== null; ) {
      writeInPieces(terminal, this.#decode(slice));
      slice = this.#backlog.take(SLICE_BYTES);
    }
    terminal.write('', () => then(emulator));
  }

  #open(): Emulator {
    if (this.#emulator !== null) return this.#emulator;
    const { cols, rows, pieces } = this.#resting ?? {
      cols: this.#cols,
      rows: this.#rows,
      pieces: [],
    };
    this.#resting = null;
    this.#emulator = openEmulator(cols, rows, this.#scrollback);
    this.#emulator.terminal.options.reflowCursorLine = this.#isCommand;
    for (const piece of pieces) this.#emulator.terminal.write(piece);
    return this.#emulator;
  }

  #release(): void {
    this.#emulator?.terminal.dispose();
    this.#emulator = null;
  }
}

/** An xterm without a page, the prompts in it, and the colours that its program chose. */
interface Emulator {
  readonly terminal: Terminal;
  readonly prompts: Prompts;
  readonly palette: TerminalPalette;
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
  boundCounts(terminal);
  mendFaults(terminal);
  // As wide as panes draw them.
  giveBoundedWidths(terminal, (taker) => new Unicode11Addon().activate(taker as Terminal));
  return { terminal, prompts: new Prompts(terminal), palette: new TerminalPalette(terminal) };
}

function takePicture(emulator: Emulator, scrollback: number): Snapshot {
  const { cols, rows } = emulator.terminal;
  const most = MAX_PICTURE_BYTES * roomFor(scrollback);
  const pieces =
    take(emulator, scrollback, most) ??
    take(emulator, Math.min(scrollback, FEWER_LINES), MAX_PICTURE_BYTES);
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

function* writePicture({ terminal, prompts, palette }: Emulator, scrollback: number) {
  yield palette.sequence() + (prompts.isRunning ? RUNNING : '');
  yield* writeScreen(terminal, scrollback, prompts.list());
}

/** Writes a picture with at most `scrollback` lines above the screen; null when it has more than `most` bytes. */
function take(emulator: Emulator, scrollback: number, most: number): readonly Buffer[] | null {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const text of writePicture(emulator, scrollback)) {
    const piece = Buffer.from(text);
    bytes += piece.byteLength;
    if (bytes > most) return null;
    if (piece.byteLength > 0) pieces.push(piece);
  }
  return pieces;
}
