import type { DiffHunk } from '../../shared/tool-call';

/** A changed part of a line, in UTF-16 units [start, end). */
interface ChangedPart {
  readonly start: number;
  readonly end: number;
}

/** One line of a unified diff as it is drawn. */
export type DiffRow =
  | {
      readonly kind: 'context' | 'added' | 'removed';
      readonly key: string;
      readonly oldLine: number | null;
      readonly newLine: number | null;
      readonly text: string;
      /** The changed part of the line, when it replaces one other line. */
      readonly part: ChangedPart | null;
    }
  /** Unchanged lines left out. */
  | { readonly kind: 'gap'; readonly key: string; readonly count: number }
  | { readonly kind: 'note'; readonly key: string; readonly text: string };

/** A row that shows a line of the file. */
export type LineRow = Extract<DiffRow, { readonly oldLine: number | null }>;

/** Returns the rows of all hunks, with line numbers, gaps between hunks, and changed parts of paired lines. */
export function diffRows(hunks: readonly DiffHunk[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let nextOld = 1;
  for (const hunk of hunks) {
    const skipped = hunk.oldStart - nextOld;
    if (skipped > 0) rows.push({ kind: 'gap', key: `gap:${hunk.oldStart}`, count: skipped });
    const lines = hunkRows(hunk);
    rows.push(...withChangedParts(lines));
    nextOld =
      hunk.oldStart + lines.filter((r) => r.kind === 'context' || r.kind === 'removed').length;
  }
  return rows;
}

/** Counts the lines the hunks add and remove. */
export function countChanges(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function hunkRows(hunk: DiffHunk): DiffRow[] {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  return hunk.lines.map((line, index): DiffRow => {
    const key = `${hunk.oldStart}:${hunk.newStart}:${index}`;
    const text = line.slice(1);
    switch (line[0]) {
      case '+':
        return { kind: 'added', key, oldLine: null, newLine: newLine++, text, part: null };
      case '-':
        return { kind: 'removed', key, oldLine: oldLine++, newLine: null, text, part: null };
      case '\\':
        return { kind: 'note', key, text: text.trim() };
      default:
        return { kind: 'context', key, oldLine: oldLine++, newLine: newLine++, text, part: null };
    }
  });
}

/** Pairs each run of removed lines with the equally long run of added lines that follows it. */
function withChangedParts(rows: readonly DiffRow[]): DiffRow[] {
  const result = [...rows];
  for (let at = 0; at < rows.length; ) {
    const removed = runLength(rows, at, 'removed');
    const added = runLength(rows, at + removed, 'added');
    if (removed > 0 && removed === added) {
      for (let i = at; i < at + removed; i += 1) pair(result, i, i + removed);
    }
    at += Math.max(1, removed + added);
  }
  return result;
}

function runLength(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let length = 0;
  while (rows[from + length]?.kind === kind) length += 1;
  return length;
}

function pair(rows: DiffRow[], removedAt: number, addedAt: number): void {
  const removed = rows[removedAt];
  const added = rows[addedAt];
  if (removed?.kind !== 'removed' || added?.kind !== 'added') return;
  const parts = changedParts(removed.text, added.text);
  if (parts === null) return;
  rows[removedAt] = { ...removed, part: parts.old } satisfies LineRow;
  rows[addedAt] = { ...added, part: parts.new } satisfies LineRow;
}

/** A change of more than this share of the longer line is a new line; marking most of it says nothing. */
const MOSTLY = 0.6;

/** Returns the middle that differs between two lines, widened to whole words; null when the lines have little in common. */
export function changedParts(
  before: string,
  after: string,
): { readonly old: ChangedPart; readonly new: ChangedPart } | null {
  const limit = Math.min(before.length, after.length);
  let head = 0;
  while (head < limit && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < limit - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  while (head > 0 && splitsWord(before, after, head)) head -= 1;
  while (tail > 0 && splitsWord(before, after, before.length - tail, after.length - tail))
    tail -= 1;
  const old = { start: head, end: before.length - tail };
  const next = { start: head, end: after.length - tail };
  const longest = Math.max(before.trim().length, after.trim().length, 1);
  const changed = Math.max(old.end - old.start, next.end - next.start);
  return changed === 0 || changed / longest > MOSTLY ? null : { old, new: next };
}

const WORD = /[\p{L}\p{N}_]/u;

function splitsWord(before: string, after: string, inBefore: number, inAfter = inBefore): boolean {
  const splits = (text: string, at: number) =>
    WORD.test(text[at - 1] ?? '') && WORD.test(text[at] ?? '');
  return splits(before, inBefore) || splits(after, inAfter);
}

/** One row of a side-by-side diff: a line on each side or on one, or something across both. */
type SplitRow =
  | {
      readonly kind: 'pair';
      readonly key: string;
      readonly left: LineRow | null;
      readonly right: LineRow | null;
    }
  | Exclude<DiffRow, LineRow>;

/** Puts the rows of a unified diff side by side: each run of removed lines beside the added ones after it. Pure. */
export function splitRows(rows: readonly DiffRow[]): readonly SplitRow[] {
  const result: SplitRow[] = [];
  let removed: LineRow[] = [];
  let added: LineRow[] = [];
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

/** The text of one side of a diff, and the line of it that each row shows, by the row's key. */
interface DiffSide {
  readonly code: string;
  readonly lines: ReadonlyMap<string, number>;
}

/** Returns both sides of a diff as text: removed lines stand before, all others after. Pure. */
export function diffSides(rows: readonly DiffRow[]): {
  readonly before: DiffSide;
  readonly after: DiffSide;
} {
  const side = (shows: (row: LineRow) => boolean): DiffSide => {
    const own = rows.filter((row): row is LineRow => 'oldLine' in row && shows(row));
    return {
      code: own.map(({ text }) => text).join('\n'),
      lines: new Map(own.map(({ key }, at) => [key, at])),
    };
  };
  return {
    before: side(({ kind }) => kind !== 'added'),
    after: side(({ kind }) => kind !== 'removed'),
  };
}
