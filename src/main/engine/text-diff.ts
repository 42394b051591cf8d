import { structuredPatch } from 'diff';
import type { DiffHunk } from '../../shared/tool-call';

/** Unchanged lines shown around each change. */
const CONTEXT_LINES = 3;

/**
 * The most changed lines that the search for the smallest difference may find; its time grows with the square.
 * Beyond, everything between the first and the last difference counts as changed.
 */
const MAX_EDIT_LENGTH = 2000;

/** The changed lines of a text. `added` and `removed` count all changes, also those beyond the bound. */
export interface LineDiff {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

/** Returns the difference of two texts, about `maxLines` lines of it; a last hunk says how many more there are. */
export function diffLines(before: string, after: string, maxLines: number): LineDiff {
  const around = aroundDifferences(before, after);
  const found = smallestDiff(around.before, around.after) ?? plainDiff(around.before, around.after);
  const hunks = found.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + around.skipped,
    newStart: hunk.newStart + around.skipped,
  }));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    hunks: bounded(hunks, maxLines),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/**
 * Returns the part of two texts from their first difference to their last, in whole lines with those around it, and the
 * number of lines before it. The rest is the same, and looking for differences in it costs far more than this.
 */
function aroundDifferences(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1;
  const from = linesBack(before, head);
  const left = before.length - linesOn(before, before.length - tail);
  return {
    before: before.slice(from, before.length - left),
    after: after.slice(from, after.length - left),
    skipped: before.slice(0, from).split('\n').length - 1,
  };
}

/** Returns where the context above the line at `place` begins. */
function linesBack(text: string, place: number): number {
  let at = place;
  for (let line = 0; line <= CONTEXT_LINES; line += 1) {
    const end = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
    if (end < 0) return 0;
    at = end;
  }
  return at + 1;
}

/** Returns where the context below the line at `place` ends. */
function linesOn(text: string, place: number): number {
  let at = place;
  for (let line = 0; line <= CONTEXT_LINES; line += 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

function smallestDiff(before: string, after: string): readonly DiffHunk[] | null {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) return null;
  return patch.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.filter((line) => !line.startsWith('\\')).map(withoutReturn),
  }));
}

/** Everything between the common beginning and the common end, as one hunk. */
function plainDiff(before: string, after: string): readonly DiffHunk[] {
  const old = before.split('\n');
  const now = after.split('\n');
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const from = Math.max(head - CONTEXT_LINES, 0);
  const mark = (sign: string) => (line: string) => withoutReturn(sign + line);
  return [
    {
      oldStart: from + 1,
      newStart: from + 1,
      lines: [
        ...old.slice(from, head).map(mark(' ')),
        ...old.slice(head, old.length - tail).map(mark('-')),
        ...now.slice(head, now.length - tail).map(mark('+')),
        ...old
          .slice(old.length - tail)
          .slice(0, CONTEXT_LINES)
          .map(mark(' ')),
      ],
    },
  ];
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

function bounded(hunks: readonly DiffHunk[], maxLines: number): readonly DiffHunk[] {
  const kept: DiffHunk[] = [];
  let room = maxLines;
  let left = 0;
  for (const hunk of hunks) {
    const lines = hunk.lines.slice(0, room);
    left += hunk.lines.length - lines.length;
    room -= lines.length;
    if (lines.length > 0) kept.push({ ...hunk, lines });
  }
  const last = kept.at(-1);
  if (left === 0 || last === undefined) return kept;
  const rest = `  … ${left} more lines of this change are not shown`;
  return [...kept.slice(0, -1), { ...last, lines: [...last.lines, rest] }];
}
