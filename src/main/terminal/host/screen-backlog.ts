/** Output that the screen mirror has not parsed yet, kept bounded. */

/** The newest output that is always kept: 10 000 lines of usual width. Bytes. */
export const KEEP_BYTES = 2 * 1024 * 1024;
/** Above this, output that can only have scrolled away is left out. Bytes. */
export const TRIM_BYTES = 4 * 1024 * 1024;
/** Above this, older text is left out in any case; its control sequences are kept. Bytes. */
export const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

const LINE_FEED = 0x0a;
/** Bytes with a meaning beyond text and line ends: BEL, SO, SI, CAN, SUB, ESC, and C1 controls in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x07\x0e\x0f\x18\x1a\x1b]|\xc2[\x80-\x9f]/;
/** Complete escape sequences that set state: CSI, character sets, single characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[()*+][0-~]|[78=>cDEHMNOZ])/g;

/** A queue of output in arrival order. */
export class ScreenBacklog {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The old part was found to hold controls: not searched again until it has been taken. */
  #notPlain = false;

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > MAX_BACKLOG_BYTES) this.#trim(keepSequences);
    else if (this.#bytes > TRIM_BYTES && !this.#notPlain) this.#trim(dropPlainText);
  }

  /** Removes and returns the oldest output, at most `bytes` of it; null when there is none. */
  take(bytes: number): Buffer | null {
    const head = this.#chunks[0];
    if (head === undefined) return null;
    if (head.byteLength <= bytes) this.#chunks.shift();
    else this.#chunks[0] = head.subarray(bytes);
    const taken = head.subarray(0, bytes);
    this.#bytes -= taken.byteLength;
    if (this.#bytes < TRIM_BYTES) this.#notPlain = false;
    return taken;
  }

  /** Shortens everything but the newest part; `shorten` gives null when the old part must stay as it is. */
  #trim(shorten: (old: Buffer) => Buffer | null): void {
    const all = Buffer.concat(this.#chunks, this.#bytes);
    const newest = cutAfterLine(all, all.byteLength - KEEP_BYTES);
    const short = shorten(all.subarray(0, newest));
    this.#notPlain = short === null;
    this.#chunks = short === null ? [all] : [short, Buffer.from(all.subarray(newest))];
    this.#bytes = this.#chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  }
}

/**
 * Drops plain text, which leaves no trace once it has scrolled away, but for its first line (it may end a sequence);
 * null when `old` holds controls.
 */
export function dropPlainText(old: Buffer): Buffer | null {
  const firstLine = old.indexOf(LINE_FEED) + 1;
  const rest = old.subarray(firstLine);
  if (CONTROL.test(rest.toString('latin1'))) return null;
  return Buffer.from(old.subarray(0, firstLine));
}

/** Returns what changes colours, modes and the cursor; gives up the text between. */
export function keepSequences(old: Buffer): Buffer {
  const found = old.toString('latin1').match(SEQUENCES)?.join('') ?? '';
  return Buffer.from(found.slice(-KEEP_BYTES), 'latin1');
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
