import { err, ok, type Result } from '../../../../../shared/result';
import { lineEnd, withLineEnd } from '../support/text-format';

/** One replacement, as the model asks for it. */
export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces text in a file's text. Line ends do not matter for finding; what is put in gets the line ends of its
 * surroundings, and everything outside stays as it is, byte for byte. The error is for the model.
 */
export function applyEdit(
  text: string,
  edit: TextEdit,
): Result<{ readonly text: string; readonly count: number }, string> {
  const wanted = withLineEnd(edit.oldString, '\n');
  const unix = withLineEnd(text, '\n');
  const places = occurrences(unix, wanted, edit.replaceAll);
  if (places.length === 0) return err(`old_string was not found. ${hint(unix, wanted)}`);
  if (places.length > 1 && !edit.replaceAll) return err(ambiguous(unix, places));
  const ranges = originalRanges(text, places, wanted.length);
  return ok({ text: replaceRanges(text, ranges, edit.newString), count: ranges.length });
}

/** Finds where the text occurs. For a single replacement overlapping places count too: it could mean either. */
function occurrences(text: string, wanted: string, replaceAll: boolean): readonly number[] {
  const places: number[] = [];
  const step = replaceAll ? wanted.length : 1;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) {
    places.push(at);
  }
  return places;
}

/** Turns places in the text with `\n` line ends into ranges of the original, whose line ends may be `\r\n`. */
function originalRanges(text: string, places: readonly number[], length: number): readonly Range[] {
  let returns = 0;
  let next = text.indexOf('\r\n');
  const original = (offset: number): number => {
    while (next !== -1 && next - returns < offset) {
      returns += 1;
      next = text.indexOf('\r\n', next + 2);
    }
    return offset + returns;
  };
  return places.map((place) => ({ start: original(place), end: original(place + length) }));
}

function replaceRanges(text: string, ranges: readonly Range[], replacement: string): string {
  const usual = lineEnd(text);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    const replaced = text.slice(start, end);
    const ownEnd = replaced.includes('\n') ? lineEnd(replaced) : usual;
    pieces.push(text.slice(from, start), withLineEnd(replacement, ownEnd));
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

function ambiguous(text: string, places: readonly number[]): string {
  const lines = places.slice(0, 5).map((place) => lineNumber(text, place));
  const more = places.length > lines.length ? ', …' : '';
  return `old_string occurs ${places.length} times (lines ${lines.join(', ')}${more}). Add surrounding lines until it is unique, or set replace_all to change every one.`;
}

const lineNumber = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length;

/** Finds the most likely reason why a text was not found. */
function hint(text: string, wanted: string): string {
  const lines = wanted.split('\n');
  if (lines.every((line) => line === '' || /^\s*\d+\t/.test(line))) {
    return 'It begins with line numbers: those are added by Read and are not in the file.';
  }
  const quoted = withPlainSigns(text).indexOf(withPlainSigns(wanted));
  if (quoted !== -1) {
    return `The text at line ${lineNumber(text, quoted)} differs from it only in signs that look alike (curly or straight quotes, dashes, special spaces). Copy the text exactly as it is in the file.`;
  }
  const similar = sameButSpaces(text.split('\n'), lines);
  if (similar !== null) {
    return `Lines that differ from it only in spaces or tabs start at line ${similar}. Copy the text exactly as it is in the file.`;
  }
  return 'It must match the file exactly. Read the file again to see what it says now.';
}

/** Signs that look alike as one of them; the length stays. */
const withPlainSigns = (text: string): string =>
  text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, ' ');

/** Returns the number of the first line from which on the lines are the same but for white space at their ends. */
function sameButSpaces(text: readonly string[], wanted: readonly string[]): number | null {
  // What follows the last line end is no line of its own.
  const trimmed = (wanted.at(-1) === '' ? wanted.slice(0, -1) : wanted).map((line) => line.trim());
  if (trimmed.every((line) => line === '')) return null;
  const own = text.map((line) => line.trim());
  const at = own.findIndex((_, i) => trimmed.every((line, j) => own[i + j] === line));
  return at === -1 ? null : at + 1;
}
