/** A part of a Markdown text that is not prose, its end not included: a comment, a code span, or a fence with its lines. */
export interface MarkdownPart {
  readonly kind: 'comment' | 'code';
  readonly start: number;
  readonly end: number;
}

const COMMENT_START = '<!--';
const COMMENT_END = '-->';
/** The beginnings of comments, and the marks that begin or end a code span. */
const MARKS = /<!--|`+/g;
/** A line that begins a fence: after quote and list marks, too. What follows backticks holds none (CommonMark 0.31, 4.5). */
const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
/** A line that ends the prose above it: it begins a comment, a heading or an entry of a list. */
const BEGINNING = /^ {0,3}(?:<!--|#{1,6}(?:[ \t]|$))|^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/;

/**
 * Finds comments, code spans and fences, in order. Whatever begins first goes on to its own end: a fence in a comment is none.
 * A comment without an end is prose; a fence without one goes to the end of the text. Linear in the text. Pure.
 */
export function markdownParts(text: string): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const lines = linesOf(text);
  const fences = createFences(lines);
  const lastEnd = text.lastIndexOf(COMMENT_END);
  let at = 0;
  let line = 0;
  while (line < lines.length) {
    const { start, words } = lines[line] ?? { start: text.length, words: '' };
    const fence = at > start ? null : fences.endOf(line);
    if (fence !== null) {
      parts.push({ kind: 'code', start, end: fence.end });
      at = fence.end;
      line = fence.line;
      continue;
    }
    // A paragraph: spans do not leave it.
    let last = line;
    if (words.trim() !== '' && !HEADING.test(words))
      while (last + 1 < lines.length && goesOn(lines[last + 1]?.words ?? '', fences, last + 1))
        last++;
    const end = lines[last + 1]?.start ?? text.length;
    const found = partsOfParagraph(text, { start: Math.max(at, start), end }, lastEnd);
    for (const part of found) parts.push(part);
    at = Math.max(end, found.at(-1)?.end ?? 0);
    line = last + 1;
    // A comment may end anywhere below.
    while (line < lines.length && (lines[line]?.end ?? 0) <= at && (lines[line]?.start ?? 0) < at)
      line++;
  }
  return parts;
}

/** Returns a text with its parts changed. Pure. */
export function withParts(
  text: string,
  parts: readonly MarkdownPart[],
  change: (part: string, kind: MarkdownPart['kind']) => string,
): string {
  let end = 0;
  const kept = parts.flatMap((part) => {
    const before = text.slice(end, part.start);
    end = part.end;
    return [before, change(text.slice(part.start, part.end), part.kind)];
  });
  return [...kept, text.slice(end)].join('');
}

/** A line, without its end. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split('\n').map((whole) => {
    const line = { start, end: start + whole.length, words: whole.replace(/\r$/, '') };
    start += whole.length + 1;
    return line;
  });
}

type Fences = ReturnType<typeof createFences>;

/** Creates what finds the ends of fences. One that is set in a quote, a list or deeper has to end, or is none. */
function createFences(lines: readonly Line[]) {
  // Nothing closes a longer one below when a shorter one is not closed: looked at once for each sign.
  const unclosed = new Map<string, number>();
  return {
    /** Returns the end of the fence that begins at a line, and the line after it; null when none begins there. */
    endOf(line: number): { readonly end: number; readonly line: number } | null {
      const [, before = '', mark] = FENCE.exec(lines[line]?.words ?? '') ?? [];
      if (mark === undefined) return null;
      const sign = mark.charAt(0);
      if ((unclosed.get(sign) ?? Number.POSITIVE_INFINITY) > mark.length)
        for (let at = line + 1; at < lines.length; at++) {
          const closing = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(lines[at]?.words ?? '')?.[1];
          if (closing?.startsWith(sign) && closing.length >= mark.length)
            return { end: lines[at]?.end ?? 0, line: at + 1 };
        }
      unclosed.set(sign, Math.min(mark.length, unclosed.get(sign) ?? mark.length));
      const isPlain = /^ {0,3}$/.test(before);
      return isPlain ? { end: lines.at(-1)?.end ?? 0, line: lines.length } : null;
    },
  };
}

const goesOn = (words: string, fences: Fences, line: number): boolean =>
  words.trim() !== '' && !BEGINNING.test(words) && fences.endOf(line) === null;

/**
 * Finds the comments and code spans of a paragraph, up to a comment that ends below it. A span ends at the first run of as
 * many marks as it begins with. `lastEnd` is where the last end of a comment stands in the text. What does not end is looked at once,
 * not for each sign.
 */
function partsOfParagraph(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  lastEnd: number,
): readonly MarkdownPart[] {
  const marks = [...text.slice(start, end).matchAll(MARKS)].map(({ 0: mark, index }) => ({
    index: start + index,
    run: mark.startsWith('`') ? mark.length : 0,
  }));
  const longest = longestFrom(marks.map(({ run }) => run));
  const parts: MarkdownPart[] = [];
  let done = 0;
  let at = 0;
  for (let mark = marks[at]; mark; mark = marks[at]) {
    at++;
    const { index, run } = mark;
    // Of a run that ended a span, what is left of it may begin another.
    const size = Math.min(index + run - Math.max(index, done), longest[at] ?? 0);
    if (size > 0) {
      while ((marks[at]?.run ?? size) < size) at++;
      done = (marks[at]?.index ?? text.length) + size;
      parts.push({ kind: 'code', start: index + run - size, end: done });
    } else if (run === 0 && index >= done && index + COMMENT_START.length <= lastEnd) {
      const last = text.indexOf(COMMENT_END, index + COMMENT_START.length);
      done = last + COMMENT_END.length;
      parts.push({ kind: 'comment', start: index, end: done });
      if (done > end) break;
    }
  }
  return parts;
}

/** Returns for each place of a list the largest number from there on. */
function longestFrom(numbers: readonly number[]): readonly number[] {
  let most = 0;
  return numbers
    .toReversed()
    .map((number) => {
      most = Math.max(most, number);
      return most;
    })
    .reverse();
}
