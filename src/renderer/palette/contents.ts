import type { Item } from '../../shared/transcript';

/** One line of the table of contents, and the text in the item by which its place is found. */
export interface ContentsLine {
  readonly id: string;
  readonly itemId: string;
  readonly text: string;
  /** 0: a prompt or what happened between; 1 to 3: a heading of an answer. */
  readonly depth: number;
}

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,3})[ \t]+(.+?)[ \t#]*$/;
/** Characters of a prompt that are shown. */
const MAX_TEXT = 200;

/** Returns prompts, headings of answers, summaries and rewinds of a conversation, oldest first. Pure. */
export const contentsOf = (items: readonly Item[]): readonly ContentsLine[] =>
  items.flatMap((item): ContentsLine[] => {
    const { id } = item;
    if (item.kind === 'prompt')
      return [{ id, itemId: id, text: item.text.trim().slice(0, MAX_TEXT), depth: 0 }];
    if (item.kind === 'text') return headingsOf(id, item.text);
    const marks = item.kind === 'divider' && (item.summary ?? item.rewind) !== undefined;
    return marks ? [{ id, itemId: id, text: item.text, depth: 0 }] : [];
  });

function headingsOf(itemId: string, text: string): ContentsLine[] {
  let fence: string | null = null;
  return text.split('\n').flatMap((line, at) => {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (mark !== null) fence = fence === null ? mark : fence === mark ? null : fence;
    const heading = fence === null && mark === null ? HEADING.exec(line) : null;
    if (heading === null) return [];
    const [, hashes = '', words = ''] = heading;
    return [{ id: `${itemId} ${at}`, itemId, text: words, depth: hashes.length }];
  });
}
