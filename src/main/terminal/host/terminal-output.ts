import type { ExitPayload } from '../../../shared/terminal-wire';
import type { TerminalProgress, TerminalSpec } from '../../engine/ports';
import { Batcher, RecentOutput } from './batcher';
import type { FloodTurns } from './flood-turns';
import { missingOutputNote, type OutputFile } from './output-file';
import { OutputCount } from './progress';
import { PauseGuard, type Pty, type PtyExit } from './pty';
import { ScreenMirror } from './screen-mirror';
import type { Picture, PictureKind, Viewer } from './viewer';

/** More output than this without a key pressed is read by nobody line by line. Bytes. */
const FLOOD_BYTES = 4 * 1024 ** 2;
/** Lines above the screen that are given as text. */
const TEXT_LINES = 1_000;
/** Leaves the alternate screen, mouse and paste modes, and hidden cursor that a dead program left on. */
const RESET_MODES = Buffer.from(
  '\x1b[?47l\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1l\x1b[?2004l\x1b[?2026l\x1b>\x1b[!p',
);

interface Size {
  readonly cols: number;
  readonly rows: number;
}

interface TerminalOutputOptions {
  readonly pty: Pty;
  readonly file: OutputFile | null;
  readonly kind: TerminalSpec['kind'];
  readonly scrollback: TerminalSpec['scrollback'];
  /** Larger output stops a command. Bytes. */
  readonly maxOutputBytes: number;
  /** Holds up what prints without end while others do, too. */
  readonly floods: FloodTurns;
  /** Carries acts out one after the other: each of them needs much memory for a while. */
  inTurn(act: () => Promise<void>): Promise<void>;
  /** Output came, and was passed on. */
  came(batch: Buffer): void;
  /** The output passed the limit, and the rest is not kept. */
  oversized(why: string): void;
  /** Something that must not happen did. */
  failed(error: unknown): void;
}

/** The way of a terminal's output: from its pty in batches to its viewers, the mirror of its screen, and its file. */
export class TerminalOutput {
  readonly #options: TerminalOutputOptions;
  readonly #file: OutputFile | null;
  readonly #mirror: ScreenMirror;
  readonly #pause: PauseGuard;
  readonly #viewers = new Set<Viewer>();
  readonly #count = new OutputCount();
  readonly #recent = new RecentOutput();
  readonly #batcher = new Batcher((batch) => this.#onBatch(batch));
  /** Output since somebody typed. Bytes. */
  #unasked = 0;
  /** It passed the limit, and the rest is not kept. */
  #oversized = false;

  constructor({ cols, rows }: Size, options: TerminalOutputOptions) {
    const { pty, file, kind, scrollback, inTurn } = options;
    this.#options = options;
    this.#file = file;
    file?.onCaughtUp(() => this.regulate());
    this.#mirror = new ScreenMirror(cols, rows, {
      ...{ scrollback, inTurn },
      isCommand: kind === 'command',
    });
    this.#pause = new PauseGuard(pty, () => this.#refreshViewers());
  }

  get hasViewers(): boolean {
    return this.#viewers.size > 0;
  }

  get bytes(): number {
    return this.#count.bytes;
  }

  lastLine(): string {
    return this.#count.lastLine();
  }

  progress(): TerminalProgress {
    return this.#count.progress(this.#file);
  }

  /** Returns what is told of the output at its end. */
  atEnd(): ReturnType<OutputCount['atEnd']> {
    return this.#count.atEnd(this.#file);
  }

  /** Returns a note about output that is not in the file; null when all of it is. */
  missingNote(unread: PtyExit['unread']): string | null {
    return missingOutputNote(this.#file, unread);
  }

  /** Takes output of the pty. */
  take(chunk: Buffer): void {
    this.#batcher.push(chunk);
  }

  /** Notes that somebody typed: what comes now was asked for. */
  asked(): void {
    this.#unasked = 0;
  }

  #onBatch(batch: Buffer): void {
    // First of all: it may be the echo of a key.
    this.show(batch);
    this.#count.add(batch);
    this.#unasked += batch.byteLength;
    this.#keep(batch);
    this.regulate();
    this.#options.floods.output(this.#pause, batch.byteLength);
    this.#options.came(batch);
  }

  /** Passes bytes on to whatever shows the terminal. */
  show(bytes: Buffer): void {
    for (const viewer of this.#viewers) viewer.data(bytes);
    this.#mirror.push(bytes);
    this.#recent.push(bytes);
  }

  #keep(batch: Buffer): void {
    const { maxOutputBytes } = this.#options;
    if (this.#file === null || this.#oversized) return;
    this.#file.append(batch);
    if (this.#count.bytes <= maxOutputBytes) return;
    this.#oversized = true;
    const limit = Math.round(maxOutputBytes / 1024 ** 2);
    this.#options.oversized(`Stopped because its output passed ${limit} MiB.`);
  }

  /**
   * Pauses or resumes the pty. All wait for the disk. Only a user's own terminal waits for its pane, only for one pane,
   * and not in a flood: then the pane skips what would have scrolled away, and gets the screen anew.
   */
  regulate(): void {
    const [only] = this.#viewers;
    const isAlone = this.#options.kind === 'shell' && this.#viewers.size === 1;
    const mayWait = isAlone && this.#unasked <= FLOOD_BYTES;
    const waitsForPane = mayWait && only?.blocked === true;
    this.#pause.update(waitsForPane || this.#file?.behind === true);
  }

  /** Reads all from now on, at once. */
  readAll(): void {
    this.#pause.release();
    this.#options.floods.leave(this.#pause);
  }

  /** Takes the screen as of all output so far; output after this call reaches the viewers as data. */
  async picture(kind: PictureKind): Promise<Picture> {
    this.#batcher.flush();
    const offset = this.#recent.end;
    const picture = this.#mirror.snapshot(kind === 'whole' ? undefined : 0);
    return { ...(await picture), offset };
  }

  /** Returns what the terminal shows as text, with the lines above its screen; bounded. */
  text(): Promise<string> {
    this.#batcher.flush();
    return this.#mirror.text(TEXT_LINES);
  }

  /** Adds a viewer. Returns the output since an offset; null when it is no longer here or none is named. */
  add(viewer: Viewer, since: number | undefined): ReturnType<RecentOutput['since']> {
    this.#batcher.flush();
    const missing = since === undefined ? null : this.#recent.since(since);
    this.#viewers.add(viewer);
    return missing;
  }

  remove(viewer: Viewer): void {
    viewer.close();
    this.#viewers.delete(viewer);
    this.regulate();
  }

  /** Empties screen and scrollback for good; `from` has done so by itself. */
  clear(from: Viewer): void {
    this.#batcher.flush();
    this.#mirror.clear();
    this.#recent.forget();
    this.#refreshViewers(from);
  }

  /** Gives pty and screen a new size; the viewers but `from` get the screen anew. */
  resize({ cols, rows }: Size, from: Viewer | null): void {
    this.#batcher.flush();
    this.#options.pty.resize(cols, rows);
    this.#mirror.resize(cols, rows);
    this.#recent.forget();
    this.#refreshViewers(from);
  }

  /** Sends the screen anew to all but the viewer that changed its own, unless a picture of before is on its way there. */
  #refreshViewers(except: Viewer | null = null): void {
    for (const viewer of this.#viewers)
      if (viewer !== except || viewer.replaying) viewer.outdated().catch(this.#options.failed);
    this.regulate();
  }

  /** Passes on what has not been yet, after the program's end. */
  finish(): void {
    this.#batcher.finish();
  }

  /** Takes back the modes that the program left on. Resolves when all output is written, or cannot be. */
  async reset(): Promise<void> {
    this.readAll();
    this.show(RESET_MODES);
    await this.#file?.written();
  }

  /** Tells the viewers that the program has ended. */
  tellEnd(exit: ExitPayload): void {
    for (const viewer of this.#viewers) viewer.ended(exit);
  }

  /** Completes the output file. */
  async complete(): Promise<void> {
    await this.#file?.finish();
  }

  /** Gives up what only a running program needs. */
  async settle(): Promise<void> {
    this.#recent.forget();
    this.#mirror.end();
    await this.#options.inTurn(() => this.#mirror.settle());
  }
}
