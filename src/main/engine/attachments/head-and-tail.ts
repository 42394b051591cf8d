import { cutLine, numberLines } from '../tools/builtin/support/numbered-lines';

/** docs/spec.md B6: of a file over the limit the first 80 % and the last 20 % of the limit are kept. */
const HEAD_PART = 0.8;

/** A text that fits, with the numbers of its lines, and whether all of it is there. */
export interface FittedLines {
  readonly text: string;
  readonly whole: boolean;
}

/**
 * Numbers lines as Read does and fits them into `maxChars`: whole lines from the beginning up to 80 % of it,
 * whole lines from the end up to 20 %, a marker with the missing line numbers between. `first` is the number
 * of the first line.
 */
export function headAndTail(
  lines: readonly string[],
  first: number,
  maxChars: number,
): FittedLines {
  const numbered = lines.map((line, i) => numberLines([cutLine(line)], first + i));
  if (lengthOf(numbered) <= maxChars) return { text: numbered.join('\n'), whole: true };
  const headChars = Math.floor(maxChars * HEAD_PART);
  const head = countFitting(numbered, headChars);
  const reversed = numbered.slice(head).reverse();
  const tail = Math.min(reversed.length - 1, countFitting(reversed, maxChars - headChars));
  const lastMissing = first + lines.length - tail - 1;
  const marker = `[… lines ${first + head} to ${lastMissing} are left out here; Read them with offset ${first + head} if you need them …]`;
  return {
    text: [
      ...numbered.slice(0, head),
      marker,
      ...numbered.slice(numbered.length - tail, numbered.length),
    ].join('\n'),
    whole: false,
  };
}

const lengthOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Returns how many lines from the beginning fit. */
function countFitting(lines: readonly string[], maxChars: number): number {
  let used = 0;
  const over = lines.findIndex((line) => {
    used += line.length + 1;
    return used > maxChars;
  });
  return over < 0 ? lines.length : over;
}
