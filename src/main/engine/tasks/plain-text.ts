import { withBoundedMarks } from '../../../shared/combining-marks';

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
 * What a person would have read on a terminal, line by line: escapes gone, `\r` and backspaces overwriting,
 * erased parts erased, marks bounded. Lines are independent of each other, so text may be converted in pieces cut at `\n`.
 */
export function plainText(raw: string): string {
  const text = HAS_CONTROL.test(raw) ? raw.split('\n').map(plainLine).join('\n') : raw;
  return withBoundedMarks(text);
}

function plainLine(raw: string): string {
  if (!HAS_CONTROL.test(raw)) return raw;
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

/** The last line that says something, at most `maxChars` long. */
export function lastLineOf(text: string, maxChars = 200): string {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
