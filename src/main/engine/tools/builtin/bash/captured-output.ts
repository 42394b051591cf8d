import type { Files } from '../../../ports';
import { plainText } from '../../../tasks/output-reader';

/** Raw bytes looked at on either side of a long output: escapes can be many times the text. */
const SIDE_BYTES = 256 * 1024;

/** Plain output of a finished command, the middle of a long one left out. */
export interface CapturedOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Returns at most `maxChars` of what a command printed: of `known` when the terminal told all of it, else of its output
 * file. A file that cannot be read says so in the text.
 */
export async function readOutput(
  file: string,
  maxChars: number,
  files: Files,
  known?: string,
): Promise<CapturedOutput> {
  if (known !== undefined) return shorten(plain(known), '', file, maxChars);
  const whole = await files.read(file, 2 * SIDE_BYTES);
  if (whole.ok) return shorten(plain(decode(whole.value)), '', file, maxChars);
  if (whole.error.code === 'not_found') return { text: '', truncated: false };
  const found = whole.error.code === 'too_large' ? await files.stat(file) : whole;
  if (!found.ok) return UNREADABLE;
  const { size } = found.value;
  const [head, tail] = await Promise.all([
    files.readRange(file, 0, SIDE_BYTES),
    files.readRange(file, size - SIDE_BYTES, size),
  ]);
  return head.ok && tail.ok
    ? shorten(plain(decode(head.value)), plain(decode(tail.value)), file, maxChars)
    : UNREADABLE;
}

const UNREADABLE: CapturedOutput = { text: '(The output could not be read.)', truncated: true };

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Returns plain text, without the stray marks of a cut in the middle of a character. */
const plain = (text: string): string => plainText(text).replace(/^�+|�+$/g, '');

/** Puts the two ends of an output together; `tail` is empty when `head` is all of it. */
function shorten(head: string, tail: string, file: string, maxChars: number): CapturedOutput {
  const all = head.trimEnd();
  if (tail === '' && all.length <= maxChars) return { text: all, truncated: false };
  const side = maxChars / 2;
  const end = tail === '' ? all : tail.trimEnd();
  const text = `${upTo(head, side)}\n\n… [output cut here; all of it is in ${file}] …\n\n${from(end, side)}`;
  return { text, truncated: true };
}

/** Returns the beginning of a text, at most so long, up to a line end when there is one nearby. */
function upTo(text: string, length: number): string {
  if (text.length <= length) return text.trimEnd();
  const line = text.lastIndexOf('\n', length);
  return text.slice(0, line > length / 2 ? line : length);
}

/** Returns the end of a text, at most so long, from a line start when there is one nearby. */
function from(text: string, length: number): string {
  const start = Math.max(text.length - length, 0);
  const line = start === 0 ? 0 : text.indexOf('\n', start) + 1;
  return text.slice(line > 0 && line < start + length / 2 ? line : start);
}
