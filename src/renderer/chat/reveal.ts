import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { keepInView } from './FootnoteLinks';
import type { RowList } from './rows';

/** An item to bring into view, and the text in it that was looked for. */
export interface Revealed {
  readonly itemId: string;
  readonly text: string;
}

/** The parts of a conversation by which an item of it is brought into view. */
interface RevealParts {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly letGo: () => void;
  readonly onToggle: (id: string, open: boolean) => void;
}

/** Brings an item into view and gives it the focus, once for each `wanted`, as soon as it is among the rows. */
export function useReveal(
  wanted: Revealed | null,
  rows: RowList,
  { scroller, list, letGo, onToggle }: RevealParts,
): void {
  const done = useRef<Revealed | null>(null);
  useLayoutEffect(() => {
    if (wanted === null || wanted === done.current) return;
    const at = rowOfItem(rows, wanted);
    const box = scroller.current;
    if (at < 0 || box === null) return;
    done.current = wanted;
    const row = rows.at(at);
    if (row.kind === 'fold') onToggle(row.key, true);
    letGo();
    list.current?.scrollToIndex(at, { align: 'center' });
    keepInView(box, () => elementOf(box, wanted));
  }, [wanted, rows, scroller, list, letGo, onToggle]);
}

/** Returns the index of the row that shows an item, of a long one the part with the text; -1 when none does. */
export function rowOfItem(
  rows: Pick<RowList, 'length' | 'at'>,
  { itemId, text }: Revealed,
): number {
  let first = -1;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows.at(at);
    if (row.kind === 'fold' && row.rows.some(({ item }) => item.id === itemId)) return at;
    if (row.kind !== 'item' || row.item.id !== itemId) continue;
    if (row.part === undefined || row.part.blocks.some((block) => block.includes(text))) return at;
    if (first < 0) first = at;
  }
  return first;
}

function elementOf(box: ParentNode, { itemId, text }: Revealed): HTMLElement | undefined {
  const parts = [...box.querySelectorAll<HTMLElement>('[data-item]')].filter(
    (element) => element.dataset['item'] === itemId,
  );
  const row = parts.find(({ textContent }) => textContent.includes(text)) ?? parts[0];
  // A heading stands anywhere in a long answer.
  const found = row && (headingOf(row, text) ?? row);
  if (found !== undefined) found.tabIndex = -1;
  return found;
}

function headingOf(row: ParentNode, text: string): HTMLElement | undefined {
  const words = bare(text);
  return [...row.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6')].find(
    ({ textContent }) => words !== '' && bare(textContent) === words,
  );
}

/** Returns words without the marks of Markdown, which the page does not show. */
const bare = (text: string): string => text.replaceAll(/[*_`~[\]]|\([^)]*\)/g, '').trim();
