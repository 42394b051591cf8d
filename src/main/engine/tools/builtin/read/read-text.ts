import { SIGNATURE_BYTES } from '../../../../../shared/image-type';
import { err, ok, type Result } from '../../../../../shared/result';
import type { OpenFile } from '../../../ports';
import { MAX_TEXT_BYTES } from '../support/file-change';
import { cutLine, MAX_LINE_CHARS } from '../support/numbered-lines';
import { bomLength, decodeText, sniffFormat } from '../support/text-format';

/** The most of a large file that is in memory at once. Bytes. */
const PIECE_BYTES = 1024 * 1024;

/** Lines read when nothing else is asked for. */
export const DEFAULT_LINES = 2000;

/** Room for the lines of one result, so that with its notes it stays under the limit of results (docs/spec.md D5). */
const MAX_TEXT_CHARS = 48_000;

/** The lines that were read; `first` is the number of the first one. */
export interface TextWindow extends LineWindow {
  readonly first: number;
  /** Lines in the whole file; null when the rest of a large file was not looked at. */
  readonly total: number | null;
  /** The whole text of a file of usual size, however little of it was asked for. */
  readonly text?: string;
}

/** The part of a file that is asked for. `offset` is the number of the first line, from 1. */
interface TextRange {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Reads all of a file of usual size; of a larger one enough to see what it is. */
export const readStart = (file: OpenFile) =>
  file.read(0, file.stat.size <= MAX_TEXT_BYTES ? MAX_TEXT_BYTES : SIGNATURE_BYTES);

/** Some lines of a text file, of which `start` was read already. The error is for the model. */
export async function readText(
  path: string,
  file: OpenFile,
  start: Uint8Array,
  range: TextRange,
  signal: AbortSignal,
): Promise<Result<TextWindow, string>> {
  const bounds = {
    first: Math.max(range.offset ?? 1, 1),
    count: range.limit ?? DEFAULT_LINES,
    maxChars: MAX_TEXT_CHARS,
  };
  const { size } = file.stat;
  if (size <= MAX_TEXT_BYTES) return linesOf(path, start, bounds);
  if (range.offset === undefined && range.limit === undefined) return err(tooLarge(path, size));
  return readPieces(path, file, bounds, signal);
}

function linesOf(
  path: string,
  bytes: Uint8Array,
  bounds: WindowBounds,
): Result<TextWindow, string> {
  const decoded = decodeText(bytes);
  if (decoded === null) return err(binary(path));
  const collector = new LineCollector(bounds);
  collector.add(decoded.text);
  const window = collector.finish();
  return ok({ ...window, first: bounds.first, total: window.seen, text: decoded.text });
}

/** Goes through a large file only as far as needed. Bytes that are no text of its encoding show as U+FFFD. */
async function readPieces(
  path: string,
  file: OpenFile,
  bounds: WindowBounds,
  signal: AbortSignal,
): Promise<Result<TextWindow, string>> {
  const { size } = file.stat;
  const collector = new LineCollector(bounds);
  let decoder: TextDecoder | null = null;
  let at = 0;
  while (at < size && collector.wantsMore) {
    if (signal.aborted) return err('Interrupted while reading.');
    const piece = await file.read(at, at + PIECE_BYTES);
    if (!piece.ok) return err(piece.error.message);
    if (piece.value.byteLength === 0) break;
    if (decoder === null) {
      const format = sniffFormat(piece.value);
      if (format === null || format.encoding === 'latin1') return err(binary(path));
      decoder = new TextDecoder(format.encoding, { ignoreBOM: true });
      collector.add(decoder.decode(piece.value.subarray(bomLength(format)), { stream: true }));
    } else {
      collector.add(decoder.decode(piece.value, { stream: true }));
    }
    at += piece.value.byteLength;
  }
  const ended = at >= size;
  if (ended) collector.add(decoder?.decode() ?? '');
  const window = collector.finish();
  return ok({ ...window, first: bounds.first, total: ended ? window.seen : null });
}

const binary = (path: string): string =>
  `${path} is a binary file. Read shows text and images; use a command to look into other files.`;

const tooLarge = (path: string, size: number): string =>
  `${path} is ${Math.round(size / 1024 / 1024)} MiB, too large to be read whole (limit ${MAX_TEXT_BYTES / 1024 / 1024} MiB). Read a part: offset is the first line (from 1), limit the number of lines, for example offset 1 and limit 200. Or search it with Grep.`;

/** The characters that the number in front of a line and the line end take. */
const NUMBER_CHARS = 8;

/** The lines to take: from line `first` (1 is the first) at most `count`, and at most `maxChars` with numbers. */
interface WindowBounds {
  readonly first: number;
  readonly count: number;
  readonly maxChars: number;
}

/** The lines that were taken. `seen` counts the lines that went by, up to the whole text. */
interface LineWindow {
  readonly lines: readonly string[];
  readonly seen: number;
  /** The window ended before its `count` because of `maxChars`. */
  readonly full: boolean;
}

/**
 * Takes a window of lines from a text that comes in pieces. Holds the window and the beginning of one line,
 * whatever the length of the text.
 */
class LineCollector {
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

  /** Tells whether more text could still add to the window. */
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
