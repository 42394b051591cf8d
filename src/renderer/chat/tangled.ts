/** Lists and quotes within one another; each level costs the parser and the page a call in a call. */
const MAX_DEPTH = 100;
/** Signs that may begin something, in one run of words: for each the parser may look through all that follows. */
const MAX_OPENERS = 1_500;

/** The beginning of a line that opens quotes and lists, as many as there are. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t\n]|$)|\d{1,9}[.)](?=[ \t\n]|$)))+/;
/** The signs of a container that counts for itself. */
const CONTAINER = />|[-+*]|\d+[.)]/g;
/** Signs that may begin emphasis, links, code, formulas and tags. */
const OPENERS = /[[*_`~<$]/g;
const BARS = /\|/g;
/** Lines that begin a run of words of their own: items, headings, rows, and empty lines. */
const BEGINS_ANEW = /^[ \t]*(?:$|[|#]|[-+*][ \t]|\d{1,9}[.)][ \t])/;

/** Bounds of cells: a page takes seconds to lay out more of one table. */
const MAX_BARS = 4_000;
/** Items of one list, for the same reason. */
const MAX_ITEMS = 5_000;
const BEGINS_ITEM = /^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]/;
/** The beginning or the end of code. */
const FENCE = /^[ \t]*(?:`{3,}|~{3,})/;

/**
 * Tells whether a block of Markdown would keep the page busy for long, or be too deep for it: its text is shown as it is.
 * Looks at each character once. Pure.
 */
export function isTangled(block: string): boolean {
  let openers = 0;
  let bars = 0;
  let items = 0;
  let inCode = false;
  for (const line of block.split('\n')) {
    if (FENCE.test(line)) inCode = !inCode;
    else if (!inCode) {
      if (BEGINS_ANEW.test(line)) openers = 0;
      openers += count(OPENERS, line);
      bars += count(BARS, line);
      if (BEGINS_ITEM.test(line)) items += 1;
      if (openers > MAX_OPENERS || bars > MAX_BARS || items > MAX_ITEMS) return true;
      if (depthOf(line) > MAX_DEPTH) return true;
    }
  }
  return false;
}

const count = (signs: RegExp, line: string): number => line.match(signs)?.length ?? 0;

/** Returns a text of the same length whose quotes and lists are no deeper than a parser can go. */
export function levelled(text: string): string {
  const lines = text.split('\n');
  if (!lines.some((line) => depthOf(line) > MAX_DEPTH)) return text;
  const flat = (signs: string) => signs.replace(/\S/g, 'x');
  return lines
    .map((line) => (depthOf(line) > MAX_DEPTH ? line.replace(CONTAINERS, flat) : line))
    .join('\n');
}

/** Returns how deep a line stands in lists and quotes, at most. */
function depthOf(line: string): number {
  const [signs = ''] = CONTAINERS.exec(line) ?? [];
  if (signs === '') return 0;
  const indent = signs.length - signs.trimStart().length;
  return Math.floor(indent / 2) + count(CONTAINER, signs);
}
