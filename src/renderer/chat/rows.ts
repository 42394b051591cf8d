import type { AgentTranscript, Item } from '../../shared/transcript';

/** The position of a call in a run of adjacent calls; a prompt is `last` after its divider. */
type GroupPosition = 'alone' | 'first' | 'middle' | 'last';

/** One item of the transcript as a row. */
export interface ItemRow {
  readonly kind: 'item';
  readonly key: string;
  readonly item: Item;
  readonly position: GroupPosition;
}

/** One row of the conversation; `live` shows at the end what a running query does or waits for. */
export type Row = ItemRow | { readonly kind: 'live'; readonly key: 'live' };

/** The rows of a conversation. The settled ones keep their identity while a turn runs. */
export interface RowList {
  readonly settled: readonly Row[];
  readonly moving: readonly Row[];
  readonly length: number;
  /** Returns the row at `index`, which must be below `length`. */
  at(index: number): Row;
}

/**
 * Creates a function that lists the rows of a transcript. Rows of unchanged items stay the same objects, and a change
 * of the live turn costs only the rows of that turn.
 */
export function createRowList(): (
  transcript: Pick<AgentTranscript, 'committed' | 'active' | 'running'>,
) => RowList {
  const known = new WeakMap<Item, ItemRow>();
  let committed: readonly Item[] | null = null;
  let shown: readonly Item[] = [];
  let settled: readonly Row[] = [];

  const rowOf = (before: Item | undefined, item: Item, after: Item | undefined): Row => {
    const position = positionOf(before, item, after);
    const same = known.get(item);
    if (same?.position === position) return same;
    const row: ItemRow = { kind: 'item', key: item.id, item, position };
    known.set(item, row);
    return row;
  };
  return (transcript) => {
    if (committed !== transcript.committed) {
      committed = transcript.committed;
      shown = committed.filter(shows);
      // The last one is listed with the live turn, which may continue its group.
      settled = shown.slice(0, -1).map((item, i) => rowOf(shown[i - 1], item, shown[i + 1]));
    }
    const seam = shown.slice(-1);
    const items = [...seam, ...transcript.active.filter(shows)];
    const moving: readonly Row[] = [
      ...items.map((item, i) => rowOf(items[i - 1] ?? shown.at(-2), item, items[i + 1])),
      ...(transcript.running ? [LIVE] : []),
    ];
    return listOf(settled, moving);
  };
}

const LIVE: Row = { kind: 'live', key: 'live' };

const listOf = (settled: readonly Row[], moving: readonly Row[]): RowList => ({
  settled,
  moving,
  length: settled.length + moving.length,
  at: (index) => settled[index] ?? moving[index - settled.length] ?? LIVE,
});

/** Returns true when an item has anything to show yet. */
const shows = (item: Item): boolean =>
  (item.kind !== 'text' && item.kind !== 'thinking') || item.text.trim() !== '';

function positionOf(before: Item | undefined, item: Item, after: Item | undefined): GroupPosition {
  if (item.kind === 'prompt') return leadsIn(before) ? 'last' : 'alone';
  if (item.kind !== 'call') return 'alone';
  if (before?.kind === 'call') return after?.kind === 'call' ? 'middle' : 'last';
  return after?.kind === 'call' ? 'first' : 'alone';
}

/** Returns true for a divider that belongs to the prompt after it. */
const leadsIn = (before: Item | undefined): boolean =>
  before?.kind === 'divider' && before.code === 'queued_prompt';
