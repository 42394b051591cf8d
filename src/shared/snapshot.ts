import type { SessionFeed } from './contract';
import type { Item, Transcript } from './transcript';

/** Rows that a subscriber gets at once: several screens. */
const FIRST_ROWS = 100;
/** Rows before those among which a prompt is looked for, so that no query is cut in two. */
const PROMPT_WITHIN = 400;
/** Earlier rows that travel together. */
const PIECE_ROWS = 250;

/** Cuts a transcript into its newest rows and pieces of the earlier ones, newest first. An end needs no beginning to be shown. */
export function* snapshotPieces(transcript: Transcript): Generator<SessionFeed, void> {
  const { committed } = transcript;
  const older = firstShown(committed);
  yield older === 0
    ? { type: 'snapshot', transcript, older }
    : { type: 'snapshot', transcript: { ...transcript, committed: committed.slice(older) }, older };
  for (let end = older; end > 0; end -= PIECE_ROWS)
    yield { type: 'older', items: committed.slice(Math.max(0, end - PIECE_ROWS), end) };
}

/** Returns the index of the first row to send at once: of a prompt, if there is one near. */
function firstShown(rows: readonly Item[]): number {
  const latest = rows.length - FIRST_ROWS;
  if (latest <= 0) return 0;
  for (let at = latest; at >= Math.max(0, latest - PROMPT_WITHIN); at -= 1)
    if (rows[at]?.kind === 'prompt') return at;
  return latest;
}

/** Puts the pieces of one snapshot together again. */
export interface SnapshotAssembly {
  /** Takes the next piece of earlier rows; gives the whole transcript with the last one, else null. */
  add(items: readonly Item[]): Transcript | null;
}

/** Begins with the newest rows, when `older` rows stand before them. */
export function assembleSnapshot(newest: Transcript, older: number): SnapshotAssembly {
  const pieces: (readonly Item[])[] = [];
  let missing = older;
  return {
    add(items) {
      pieces.push(items);
      missing -= items.length;
      if (missing > 0) return null;
      return { ...newest, committed: [...pieces.toReversed().flat(), ...newest.committed] };
    },
  };
}
