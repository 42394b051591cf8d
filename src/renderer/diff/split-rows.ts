import type { DiffRow } from './diff-rows';

type Line = Extract<DiffRow, { readonly oldLine: number | null }>;

/** One row of a side-by-side diff: a line on each side or on one, or something across both. */
export type SplitRow =
  | {
      readonly kind: 'pair';
      readonly key: string;
      readonly left: Line | null;
      readonly right: Line | null;
    }
  | Exclude<DiffRow, Line>;

/** Puts the rows of a unified diff side by side: each run of removed lines beside the added ones after it. Pure. */
export function splitRows(rows: readonly DiffRow[]): readonly SplitRow[] {
  const result: SplitRow[] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const left = removed[at] ?? null;
      const right = added[at] ?? null;
      result.push({ kind: 'pair', key: (left ?? right)?.key ?? '', left, right });
    }
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(row);
    } else if (row.kind === 'added') added.push(row);
    else {
      flush();
      if ('oldLine' in row) result.push({ kind: 'pair', key: row.key, left: row, right: row });
      else result.push(row);
    }
  }
  flush();
  return result;
}
