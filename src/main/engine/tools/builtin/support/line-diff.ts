import { structuredPatch } from 'diff';
import type { DiffHunk } from '../../../../../shared/tool-call';

/** Unchanged lines shown around each change. */
const CONTEXT_LINES = 3;

/**
 * How many changed lines the search for the smallest difference may find; its time grows with the square.
 * Beyond, everything between the first and the last difference counts as changed.
 */
const MAX_EDIT_LENGTH = 2000;

/** What changed, line by line. `added` and `removed` count all changes, also those beyond the bound. */
export interface LineDiff {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

/** The difference of two texts, at most about `maxLines` lines of it; a last hunk says how many more there are. */
export function diffLines(before: string, after: string, maxLines: number): LineDiff {
  const hunks = smallestDiff(before, after) ?? plainDiff(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    hunks: bounded(hunks, maxLines),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
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
