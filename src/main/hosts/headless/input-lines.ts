import type { Readable } from 'node:stream';

/** One line of input without its end. `tooLong`: only counted, its text was dropped. */
export interface InputLine {
  readonly text: string;
  readonly tooLong: boolean;
}

/** Longer lines are not kept. UTF-16 units. */
export const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/**
 * Yields the lines of a stream as they come, all that are complete at a time. Ends of the forms LF and CRLF, a byte
 * order mark and a last line without an end are taken as people mean them. A stream that breaks off ends the lines.
 */
export async function* inputLines(
  stream: Readable,
  maxLength: number = MAX_LINE_LENGTH,
): AsyncGenerator<readonly InputLine[], void> {
  let pieces: string[] = [];
  let length = 0;
  let first = true;
  const add = (piece: string) => {
    length += piece.length;
    if (length <= maxLength) pieces.push(piece);
    else pieces = [];
  };
  const take = (): InputLine => {
    let text = pieces.join('').replace(/\r$/, '');
    if (first) text = text.replace(/^\uFEFF/, '');
    const line = { text, tooLong: length > maxLength };
    pieces = [];
    length = 0;
    first = false;
    return line;
  };
  stream.setEncoding('utf8');
  try {
    for await (const chunk of stream) {
      const parts = String(chunk).split('\n');
      const last = parts.pop() ?? '';
      const lines: InputLine[] = [];
      for (const part of parts) {
        add(part);
        lines.push(take());
      }
      add(last);
      if (lines.length > 0) yield lines;
    }
  } catch {
    // What came before the break is answered; half a line is no question.
    return;
  }
  if (length > 0) yield [take()];
}
