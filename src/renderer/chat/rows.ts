import type { AgentTranscript, Item, Transcript } from '../../shared/transcript';
import { createPartList, FIRST_GROUP_CHARS, type TextPart } from './markdown-blocks';

/** The position of a call in a run of adjacent calls; a prompt is `last` after its divider. */
type GroupPosition = 'alone' | 'first' | 'middle' | 'last';

/** One item of the transcript as a row, or a part of a long text. */
export interface ItemRow {
  readonly kind: 'item';
  readonly key: string;
  readonly item: Item;
  readonly position: GroupPosition;
  /** The part of a long text that it shows; `item` may be older than that. */
  readonly part?: TextPart;
}

/** Calls that stand as one row until it is opened: several reads side by side, or the work of a finished query. */
export interface FoldRow {
  readonly kind: 'fold';
  readonly key: string;
  readonly rows: readonly ItemRow[];
}

/** One row of the conversation; `live` shows at the end what a running query does or waits for. */
export type Row = ItemRow | FoldRow | { readonly kind: 'live'; readonly key: 'live' };

/** Returns true once something was asked or done; before that there are only notes, such as of a server that did not start. */
export const hasBegun = ({
  running,
  committed,
}: Pick<Transcript, 'running' | 'committed'>): boolean =>
  running !== null || committed.some(({ kind }) => !NOTES.has(kind));

/** The entries of a conversation without a prompt. */
const NOTES: ReadonlySet<Item['kind']> = new Set(['divider', 'hook', 'end']);

/** The rows of a conversation. The settled ones keep their identity while a turn runs. */
export interface RowList {
  readonly settled: readonly Row[];
  readonly moving: readonly Row[];
  readonly length: number;
  /** Number of rows, a long text counted as one and the live row not at all. */
  readonly items: number;
  /** Returns the row at `index`, which must be below `length`. */
  at(index: number): Row;
}

/** As many adjacent reads stand as one row. */
const FOLDED_READS = 4;
/** As many adjacent calls of a finished query stand as one row. */
const FOLDED_CALLS = 6;
/** The most items of one folded row: it draws all of them when it is open. */
const FOLD_MAX = 100;

/**
 * Creates a function that lists the rows of a transcript. Rows of unchanged items stay the same objects, and a change
 * of the live turn costs only the rows of that turn. `mayFold` is false while the user reads further up, where rows
 * must not move: the work of a query that ended meanwhile folds later.
 */
export function createRowList(): (
  transcript: Pick<AgentTranscript, 'committed' | 'active' | 'running'>,
  mayFold?: boolean,
) => RowList {
  const known = new WeakMap<Item, ItemRow>();
  const longTexts = new WeakMap<Item, LongText>();
  /** Long texts of the last live turn, by id: their items change with each delta. */
  let growing: ReadonlyMap<string, LongText> = new Map();
  const folds = new WeakMap<Item, FoldRow>();
  let committed: readonly Item[] | null = null;
  let shown: readonly Item[] = [];
  /** Items of `shown` from here on are listed with the live turn, which may continue their group. */
  let seam = 0;
  let lastEnd: Item | undefined;
  /** Work before this end of a query may fold. */
  let foldedTo: Item | undefined;
  let settled: readonly Row[] = [];
  let settledItems = 0;

  const rowOf = (before: Item | undefined, item: Item, after: Item | undefined): ItemRow => {
    const position = positionOf(before, item, after);
    const same = known.get(item);
    if (same?.position === position) return same;
    const row: ItemRow = { kind: 'item', key: item.id, item, position };
    known.set(item, row);
    return row;
  };
  const rowsOf = (
    before: Item | undefined,
    item: Item,
    after: Item | undefined,
  ): readonly ItemRow[] => {
    if (item.kind !== 'text' || item.text.length <= FIRST_GROUP_CHARS)
      return [rowOf(before, item, after)];
    const text = longTexts.get(item) ?? growing.get(item.id) ?? createLongText(item.id);
    longTexts.set(item, text);
    return text(item);
  };
  const foldOf = (rows: readonly ItemRow[]): readonly Row[] => {
    const [first] = rows;
    if (first === undefined) return [];
    const same = folds.get(first.item);
    if (same?.rows.length === rows.length && same.rows.every((row, at) => row === rows[at]))
      return [same];
    const fold: FoldRow = { kind: 'fold', key: `fold ${first.key}`, rows };
    folds.set(first.item, fold);
    return [fold];
  };
  const folded = (rows: readonly ItemRow[], finishedTo: number): readonly Row[] =>
    runs(rows, isWork, FOLD_MAX).flatMap(({ from, run }) =>
      from + run.length <= finishedTo && isFinishedWork(run)
        ? foldOf(run)
        : runs(run, isRead, FOLD_MAX).flatMap((part) =>
            part.run.length >= FOLDED_READS ? foldOf(part.run) : part.run,
          ),
    );
  return (transcript, mayFold = true) => {
    const changed = committed !== transcript.committed;
    if (changed) {
      committed = transcript.committed;
      shown = committed.filter(shows);
      lastEnd = shown.findLast(({ kind }) => kind === 'end');
      seam = Math.max(0, shown.length - 1);
      const earliest = shown.length - FOLD_MAX;
      while (seam > Math.max(0, earliest) && works(shown[seam]) && works(shown[seam - 1]))
        seam -= 1;
    }
    if (changed || (mayFold && foldedTo !== lastEnd)) {
      if (mayFold) foldedTo = lastEnd;
      const before = shown.slice(0, seam);
      const rows = before.flatMap((item, i) => rowsOf(shown[i - 1], item, shown[i + 1]));
      const finished = foldedTo === undefined ? -1 : shown.lastIndexOf(foldedTo);
      const finishedTo =
        finished >= seam ? rows.length : rows.findLastIndex(({ item }) => item === shown[finished]);
      settled = folded(rows, finishedTo);
      settledItems = itemsIn(settled);
    }
    const items = [...shown.slice(seam), ...transcript.active.filter(shows)];
    const moving: readonly Row[] = [
      ...folded(
        items.flatMap((item, i) => rowsOf(items[i - 1] ?? shown[seam - 1], item, items[i + 1])),
        0,
      ),
      ...(transcript.running ? [LIVE] : []),
    ];
    growing = new Map(
      items.flatMap((item) => {
        const text = longTexts.get(item);
        return text === undefined ? [] : [[item.id, text]];
      }),
    );
    return listOf(settled, moving, settledItems + itemsIn(moving));
  };
}

/** The rows of one long text as it grows. */
type LongText = (item: TextItem) => readonly ItemRow[];
type TextItem = Extract<Item, { kind: 'text' }>;

/** Creates the rows of a long text, of which only those in view are in the page. Rows of parts that did not change stay the same objects. */
function createLongText(id: string): LongText {
  const listParts = createPartList();
  let rows: readonly ItemRow[] = [];
  return (item) => {
    const parts = listParts(item.text, item.done);
    rows = parts.map((part, at) => {
      const same = rows[at];
      if (same?.part === part) return same;
      return { kind: 'item', key: at === 0 ? id : `${id} ${at}`, item, position: 'alone', part };
    });
    return rows;
  };
}

const itemsIn = (rows: readonly Row[]): number =>
  rows.filter((row) => row.kind === 'fold' || (row.kind === 'item' && row.part?.first !== false))
    .length;

/** Splits rows into the longest runs that fit, of at most `most` rows; every other row is a run of its own. */
function runs(
  rows: readonly ItemRow[],
  fits: (row: ItemRow) => boolean,
  most: number,
): readonly { readonly from: number; readonly run: readonly ItemRow[] }[] {
  const found: { from: number; run: ItemRow[] }[] = [];
  let open = false;
  for (const [at, row] of rows.entries()) {
    const fit = fits(row);
    const last = found.at(-1);
    if (fit && open && last !== undefined && last.run.length < most) last.run.push(row);
    else found.push({ from: at, run: [row] });
    open = fit;
  }
  return found;
}

/** Returns true for what the model did, in contrast to what it or the user said. */
const works = (item: Item | undefined): boolean =>
  item?.kind === 'call' || item?.kind === 'thinking' || item?.kind === 'hook';

const isWork = ({ item }: ItemRow): boolean => works(item);

const isRead = ({ item }: ItemRow): boolean =>
  item.kind === 'call' &&
  item.status === 'done' &&
  (item.view?.kind === 'file' || item.view?.kind === 'search');

const isFinishedWork = (rows: readonly ItemRow[]): boolean =>
  rows.filter(({ item }) => item.kind === 'call' && item.durationMs !== undefined).length >=
  FOLDED_CALLS;

const LIVE: Row = { kind: 'live', key: 'live' };

const listOf = (settled: readonly Row[], moving: readonly Row[], items: number): RowList => ({
  settled,
  moving,
  items,
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
