import type { TerminalExit, TerminalProgress } from '../../engine/ports';
import type { OutputFile } from './output-file';

/** The part of the newest output that a progress report carries. Bytes. */
const TAIL_BYTES = 8 * 1024;
const LINE_FEED = 0x0a;

/** The state of the file of an output; null when there is none. */
type Saved = Pick<OutputFile, 'unsaved'> | null;

const unsaved = (file: Saved): Pick<TerminalProgress, 'unsaved'> =>
  file === null || file.unsaved === null ? {} : { unsaved: file.unsaved };

/** Counts a terminal's output and keeps its last lines. */
export class OutputCount {
  #bytes = 0;
  #lines = 0;
  #tail: Buffer = Buffer.alloc(0);

  get bytes(): number {
    return this.#bytes;
  }

  add(batch: Buffer): void {
    this.#bytes += batch.byteLength;
    // By index: iterating is four times slower, and this sees every byte.
    for (let at = 0; at < batch.byteLength; at += 1) if (batch[at] === LINE_FEED) this.#lines += 1;
    this.#tail = Buffer.concat([this.#tail, batch.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  }

  progress(file: Saved = null): TerminalProgress {
    const tail = this.#wholeTail().toString('utf8');
    return { bytes: this.#bytes, lines: this.#lines, tail, ...unsaved(file) };
  }

  /** Returns the unfinished last line as it came. */
  lastLine(): string {
    return this.#tail.subarray(this.#tail.lastIndexOf(LINE_FEED) + 1).toString('utf8');
  }

  /** Returns what is told of the output at its end: all of it when it was short, what is left when `file` lacks it. */
  atEnd(file: Saved): Pick<TerminalExit, 'output' | 'tail' | 'lines' | 'unsaved'> {
    const { bytes, tail, ...rest } = this.progress(file);
    if (bytes <= TAIL_BYTES) return { ...rest, output: tail };
    if (rest.unsaved === undefined) return { ...rest, tail };
    const missing = bytes - Buffer.byteLength(tail);
    return { ...rest, tail, output: `[${missing} bytes of output came before this]\n${tail}` };
  }

  /** Returns the tail without a half line or half character at its start. */
  #wholeTail(): Buffer {
    if (this.#bytes <= TAIL_BYTES) return this.#tail;
    const lineEnd = this.#tail.indexOf(LINE_FEED);
    if (lineEnd >= 0 && lineEnd < this.#tail.byteLength - 1)
      return this.#tail.subarray(lineEnd + 1);
    const start = this.#tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return this.#tail.subarray(Math.max(0, start));
  }
}

/** Between two progress reports of one terminal: ten a second (`Terminals.onProgress`). Milliseconds. */
export const PROGRESS_MS = 100;

/**
 * Thins progress out: at most one report per {@link PROGRESS_MS}, and none while its reader is behind; the last one is never
 * lost. The first takes as long, so that a quick command is reported once, at its end.
 */
export class ProgressReporter {
  readonly #report: (terminalId: string) => void;
  readonly #isBehind: () => boolean;
  /** The watched terminals, each with its next report. */
  readonly #watched = new Map<string, { timer: NodeJS.Timeout | null; due: boolean }>();

  constructor(report: (terminalId: string) => void, isBehind: () => boolean = () => false) {
    this.#report = report;
    this.#isBehind = isBehind;
  }

  watch(terminalId: string): void {
    if (this.#watched.has(terminalId)) return;
    this.#watched.set(terminalId, { timer: this.#pause(terminalId), due: true });
  }

  unwatch(terminalId: string): void {
    const timer = this.#watched.get(terminalId)?.timer;
    if (timer) clearTimeout(timer);
    this.#watched.delete(terminalId);
  }

  /** Reports now or, when the last report was just before, later. */
  progressed(terminalId: string): void {
    const watched = this.#watched.get(terminalId);
    if (watched === undefined) return;
    if (watched.timer !== null) {
      watched.due = true;
      return;
    }
    watched.due = this.#isBehind();
    if (!watched.due) this.#report(terminalId);
    watched.timer = this.#pause(terminalId);
  }

  #pause(terminalId: string): NodeJS.Timeout {
    return setTimeout(() => {
      const watched = this.#watched.get(terminalId);
      if (watched === undefined) return;
      watched.timer = null;
      if (watched.due) this.progressed(terminalId);
    }, PROGRESS_MS);
  }

  /** Reports what is still due and stops, because the terminal has ended. */
  finish(terminalId: string): void {
    if (this.#watched.get(terminalId)?.due) this.#report(terminalId);
    this.unwatch(terminalId);
  }

  close(): void {
    for (const terminalId of [...this.#watched.keys()]) this.unwatch(terminalId);
  }
}
