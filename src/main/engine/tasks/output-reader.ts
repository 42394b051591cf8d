import type { Files } from '../ports';
import { plainText } from './plain-text';

/** Raw bytes read at once; older ones are skipped and counted. */
const MAX_RAW_BYTES = 256 * 1024;

/** Characters given at once, as for a Bash result. */
const MAX_TEXT_CHARS = 30_000;

const NEWLINE = 10;

/** New output of one task. `skippedBytes` counts what was left out between the last reading and this one. */
export interface NewOutput {
  readonly text: string;
  readonly skippedBytes: number;
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
