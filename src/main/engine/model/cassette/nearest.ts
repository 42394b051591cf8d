import { diffLines } from 'diff';

/** A recorded request and the file it stands in. */
export interface Recorded {
  readonly file: string;
  readonly request: unknown;
}

/** Most changed lines that are shown. */
const SHOWN_LINES = 12;
/** Longest line that is shown. Characters. */
const SHOWN_CHARS = 160;

/** What is shown of a line before the place where it differs. Characters. */
const KEPT_BEFORE = 40;
/** Requests further apart than this many lines have nothing in common. */
const MAX_EDITS = 2000;

/** Which recording is nearest to a request, and what differs; for the person who has to record anew. */
export function describeMiss(wanted: unknown, recorded: readonly Recorded[]): string {
  const text = pretty(wanted);
  const near = recorded
    .map(({ file, request }) => ({ file, changes: changedLines(pretty(request), text) }))
    .toSorted((a, b) => a.changes.length - b.changes.length)[0];
  if (near === undefined) return 'There is no recording at all.';
  const shown = near.changes.slice(0, SHOWN_LINES).map((line) => line.slice(0, SHOWN_CHARS));
  const more = near.changes.length - shown.length;
  return [
    `The nearest is ${near.file}; it differs (- recorded, + asked):`,
    ...shown,
    ...(more > 0 ? [`… and ${more} more lines`] : []),
  ].join('\n');
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 1) ?? '';

interface Change {
  readonly sign: '-' | '+';
  readonly line: string;
}

/** Changed lines; of two that stand against each other, what comes before the difference is left out. */
function changedLines(before: string, after: string): readonly string[] {
  const parts = diffLines(before, after, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return ['(nothing in common)'];
  const changes = parts.flatMap(({ added, removed, value }): Change[] =>
    added || removed
      ? value
          .trimEnd()
          .split('\n')
          .map((line) => ({ sign: added ? '+' : '-', line: line.trim() }))
      : [],
  );
  return changes.map(({ sign, line }, i) => {
    const other = changes[sign === '-' ? i + 1 : i - 1];
    return `${sign} ${other === undefined || other.sign === sign ? line : around(line, other.line)}`;
  });
}

/** A line from a little before the place where it differs from another. */
function around(line: string, other: string): string {
  const differs = [...line].findIndex((character, i) => character !== other[i]);
  const start = differs < 0 ? 0 : Math.max(0, differs - KEPT_BEFORE);
  return start === 0 ? line : `…${line.slice(start)}`;
}
