import { withBoundedMarks } from '../../../shared/combining-marks';
import { plainLine } from '../../../shared/plain-line';
import type { Files } from '../ports';

/** Raw bytes read at once; older ones are skipped and counted. */
const MAX_RAW_BYTES = 256 * 1024;

/** Characters given at once, as for a Bash result. */
const MAX_TEXT_CHARS = 30_000;

const NEWLINE = 10;

/** New output of one task. `skippedBytes` counts what was left out between the last reading and this one. */
export interface NewOutput {
  readonly text: string;
  readonly skippedBytes: number;
  /** The reason why the end of the text is in no file. */
  readonly unsaved?: string;
}

/** A growing output file, read piece by piece. */
export interface OutputReader {
  /** Reads plain text since the last call. A last line without an end is given again once it has grown. */
  readNew(): Promise<NewOutput>;
  /** Returns how far it has read, in bytes: always the start of a line. */
  offset(): number;
}

/** Creates a reader that starts at `from`, in bytes. Calls at the same time queue behind each other. */
export function createOutputReader(files: Files, path: string, from = 0): OutputReader {
  /** Everything before this offset has been given. */
  let given = from;
  let lastPartial = '';
  let reading: Promise<NewOutput> = Promise.resolve({ text: '', skippedBytes: 0 });

  const readNext = async (): Promise<NewOutput> => {
    const found = await files.stat(path);
    if (!found.ok) return { text: '', skippedBytes: 0 };
    const start = Math.max(given, found.value.size - MAX_RAW_BYTES);
    const read = await files.readRange(path, start, found.value.size);
    if (!read.ok) return { text: '', skippedBytes: 0 };
    const from = start > given ? afterFirstLine(read.value) : 0;
    const to = endOfLastLine(read.value, from);
    const whole = plain(read.value.subarray(from, to));
    const partial = plain(read.value.subarray(to));
    const skipped = start + from - given;
    const text = whole === '' && partial === lastPartial ? '' : whole + partial;
    given = start + to;
    lastPartial = partial;
    return keepEnd(text, skipped);
  };

  return {
    readNew: () => {
      reading = reading.then(readNext);
      return reading;
    },
    offset: () => given,
  };
}

const plain = (bytes: Uint8Array): string => plainText(new TextDecoder().decode(bytes));

/** Returns where the first whole line starts: a cut may have hit the middle of a line or of a character. */
const afterFirstLine = (bytes: Uint8Array): number => bytes.indexOf(NEWLINE) + 1;

/** Returns where the unfinished last line starts. One that fills the whole window counts as finished. */
function endOfLastLine(bytes: Uint8Array, from: number): number {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end <= from && bytes.byteLength >= MAX_RAW_BYTES) return bytes.byteLength;
  return Math.max(end, from);
}

function keepEnd(text: string, skippedBytes: number): NewOutput {
  if (text.length <= MAX_TEXT_CHARS) return { text, skippedBytes };
  const cut = text.indexOf('\n', text.length - MAX_TEXT_CHARS) + 1 || text.length - MAX_TEXT_CHARS;
  const left = new TextEncoder().encode(text.slice(0, cut)).byteLength;
  return { text: text.slice(cut), skippedBytes: skippedBytes + left };
}

/**
 * Strings for the terminal itself (title, clipboard, device control): ESC ] … BEL or ESC \, and their kin.
 * They never reach over the end of a line, so that a broken one cannot swallow the rest.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control sequences are what this finds
const CONTROL_STRING = /\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?/g;

/** One step on a line: a control sequence (ECMA-48, 5.4), another escape, a control character, or text. */
const STEP =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control sequences are what this finds
  /\x1b\[([0-?]*)[ -/]*([@-~]?)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]|[^\x00-\x08\x0b-\x1f\x7f-\x9f]+/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: tells lines with control characters from plain ones
const HAS_CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** Further than any real program moves on one line; larger counts are an attack on memory. */
const MAX_MOVE = 1000;

/**
 * Returns what a user would have read on a terminal, line by line: escapes gone, `\r` and backspaces overwriting,
 * erased parts erased, marks bounded. Lines are independent of each other, so text may be converted in pieces cut at `\n`.
 */
export function plainText(raw: string): string {
  const text = HAS_CONTROL.test(raw) ? raw.split('\n').map(terminalLine).join('\n') : raw;
  return withBoundedMarks(text);
}

function terminalLine(raw: string): string {
  if (!HAS_CONTROL.test(raw)) return raw;
  // Nearly every line of a terminal, which ends lines with a carriage return of its own.
  const content = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  if (!HAS_CONTROL.test(content)) return content.trimEnd();
  const line = new Line();
  for (const step of raw.replace(CONTROL_STRING, '').matchAll(STEP)) {
    const [whole, parameters, final] = step;
    if (final !== undefined) line.control(final, parameters ?? '');
    else if (whole === '\r') line.column = 0;
    else if (whole === '\b') line.column = Math.max(line.column - 1, 0);
    else if (!HAS_CONTROL.test(whole)) line.print(whole);
  }
  return line.text();
}

/** One line of a terminal with a cursor. A cell holds one code point. */
class Line {
  column = 0;
  readonly #cells: string[] = [];

  print(text: string): void {
    while (this.#cells.length < this.column) this.#cells.push(' ');
    for (const character of text) this.#cells[this.column++] = character;
  }

  control(final: string, parameters: string): void {
    const count = Math.min(Number.parseInt(parameters, 10) || 0, MAX_MOVE);
    if (final === 'K') this.#erase(count);
    else if (final === 'C') this.column += Math.max(count, 1);
    else if (final === 'D') this.column = Math.max(this.column - Math.max(count, 1), 0);
    else if (final === 'G') this.column = Math.max(count, 1) - 1;
  }

  /** 0: from the cursor on, 1: up to the cursor, 2: all. */
  #erase(part: number): void {
    if (part !== 1) this.#cells.length = Math.min(this.#cells.length, part === 2 ? 0 : this.column);
    else this.#cells.fill(' ', 0, this.column + 1);
  }

  text(): string {
    return this.#cells.join('').trimEnd();
  }
}

/** A line of closing brackets, as errors and objects end with, or a rule: it says nothing. */
const EMPTY_WORDS = /^(?:[)\]};,\s]*|[-=_*─━═]{3,})$/;

/** Returns the last line that says something, at most `maxChars` long; what does not show in it is marked. */
export function lastLineOf(text: string, maxChars = 200): string {
  const lines = text.trimEnd().split('\n');
  const line = (
    lines.findLast((one) => !EMPTY_WORDS.test(one.trim())) ??
    lines.at(-1) ??
    ''
  ).trim();
  return `${plainLine(line, maxChars)}${line.length > maxChars ? '…' : ''}`;
}
