import { createScanner, type Node } from 'jsonc-parser';

/** A part of a text, UTF-16 units [start, end). */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A JSON text without one item of a list: the item, one comma, and the line when nothing else stands on it. Every
 * comment and all other layout stay. Pure. (The edits of jsonc-parser take comments along and can break one-line lists.)
 */
export function withoutItem(text: string, list: Node, index: number): string {
  const items = list.children ?? [];
  const item = items[index];
  if (item === undefined) return text;
  const previous = items[index - 1];
  const comma =
    commaAfter(text, endOf(item)) ?? (previous ? commaAfter(text, endOf(previous)) : null);
  const spans = [{ start: item.offset, end: endOf(item) }, ...(comma ? [comma] : [])];
  return spans.toSorted((a, b) => b.start - a.start).reduce(cut, text);
}

const endOf = (node: Node): number => node.offset + node.length;

/** The comma that comes next, over white space and comments; null when something else does. */
function commaAfter(text: string, offset: number): Span | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const start = scanner.getTokenOffset();
  return text[start] === ',' ? { start, end: start + 1 } : null;
}

/** Cuts a span out, with the line it leaves empty or the blanks it leaves over. */
function cut(text: string, { start, end }: Span): string {
  const left = text.slice(0, start);
  const right = text.slice(end);
  const alone = /(^|\n)[ \t]*$/.test(left) && /^[ \t]*\r?\n/.test(right);
  if (alone) return left.replace(/[ \t]*$/, '') + right.replace(/^[ \t]*\r?\n/, '');
  const ends = /^[ \t]*(\r?\n|$)/.test(right);
  return ends ? left.replace(/[ \t]+$/, '') + right : left + right.replace(/^[ \t]+/, '');
}
