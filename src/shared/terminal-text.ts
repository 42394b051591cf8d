/** The part of an xterm that is read as text. */
interface TextTerminal {
  readonly buffer: {
    readonly active: {
      readonly length: number;
      getLine(
        y: number,
      ):
        | { readonly isWrapped: boolean; translateToString(trimRight?: boolean): string }
        | undefined;
    };
  };
}

/** Returns all text a terminal holds, scrollback first, wrapped lines joined, without the empty rest of the screen. */
export function bufferText(terminal: TextTerminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let y = 0; y < active.length; y += 1) {
    const line = active.getLine(y);
    if (!line) continue;
    // Where a wide character had no room at the end of a line, the cell that it left there is no space.
    const text = line.translateToString(true);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/**
 * Creates a decoder of what a program prints, which may come cut anywhere. Plain ASCII passes untouched until other bytes
 * come; what is no UTF-8 shows as U+FFFD, where xterm itself would leave it out.
 */
export function createOutputDecoder(): (bytes: Uint8Array) => Uint8Array | string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let decoding = false;
  return (bytes) => {
    decoding ||= !isAscii(bytes);
    return decoding ? decoder.decode(bytes, { stream: true }) : bytes;
  };
}

function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.byteLength; at += 1) if ((bytes[at] ?? 0) >= 0x80) return false;
  return true;
}

/** The most that is parsed in one go: output, and sequences in it, each of which may draw the whole screen anew. UTF-16 units or bytes. */
const PIECE_LENGTH = 2_048;
const PIECE_SEQUENCES = 32;
const ESC = 0x1b;

/**
 * Writes output into an xterm in small pieces: it lets others have their turn only between writes. `then` is called once
 * all is parsed.
 */
export function writeInPieces(
  terminal: { write(output: string | Uint8Array, then?: () => void): void },
  output: string | Uint8Array,
  then?: () => void,
): void {
  let rest = output;
  for (let end = endOfPiece(rest); end < rest.length; end = endOfPiece(rest)) {
    terminal.write(partOf(rest, 0, end));
    rest = partOf(rest, end);
  }
  terminal.write(rest, then);
}

const partOf = (output: string | Uint8Array, start: number, end?: number): string | Uint8Array =>
  typeof output === 'string' ? output.slice(start, end) : output.subarray(start, end);

/** Returns the length of the first piece, which ends before a sequence where it has too many. */
function endOfPiece(output: string | Uint8Array): number {
  const piece = partOf(output, 0, PIECE_LENGTH);
  let at = 0;
  for (let sequences = 0; sequences < PIECE_SEQUENCES; sequences += 1) {
    at = typeof piece === 'string' ? piece.indexOf('\x1b', at + 1) : piece.indexOf(ESC, at + 1);
    if (at < 0) return piece.length;
  }
  return at;
}
