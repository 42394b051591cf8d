import type { Item, Transcript } from '../../shared/transcript';

/** Where a call stands in a run of calls without anything between them; a prompt is `last` behind its divider. */
export type GroupPlace = 'alone' | 'first' | 'middle' | 'last';

/** One row of the conversation as it is listed. */
export type Row =
  | { readonly kind: 'item'; readonly key: string; readonly item: Item; readonly place: GroupPlace }
  /** What Lathe does or waits for right now; at the end while a query runs. */
  | { readonly kind: 'live'; readonly key: 'live' };

/** Whether an item has anything to show yet. */
const shows = (item: Item): boolean =>
  (item.kind !== 'text' && item.kind !== 'thinking') || item.text.trim() !== '';

/** The rows of some items, in order; empty texts are left out and neighbouring calls know their place. */
export function itemRows(items: readonly Item[]): readonly Row[] {
  const shown = items.filter(shows);
  return shown.map((item, index) => ({
    kind: 'item',
    key: item.id,
    item,
    place: placeOf(shown, index),
  }));
}

function placeOf(items: readonly Item[], index: number): GroupPlace {
  if (items[index]?.kind === 'prompt') return ledIn(items[index - 1]) ? 'last' : 'alone';
  if (items[index]?.kind !== 'call') return 'alone';
  const before = items[index - 1]?.kind === 'call';
  const after = items[index + 1]?.kind === 'call';
  if (before) return after ? 'middle' : 'last';
  return after ? 'first' : 'alone';
}

/** A divider that belongs to the prompt after it. */
const ledIn = (before: Item | undefined): boolean =>
  before?.kind === 'divider' && before.code === 'queued_prompt';

/** Adds the active part and the live row to rows that were already built from the committed part. */
export function withActive(committed: readonly Row[], transcript: Transcript): readonly Row[] {
  const active = itemRows(transcript.active);
  const live: readonly Row[] = transcript.running ? [{ kind: 'live', key: 'live' }] : [];
  return active.length + live.length === 0 ? committed : [...committed, ...active, ...live];
}
