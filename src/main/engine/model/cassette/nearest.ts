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

const changedLines = (before: string, after: string): readonly string[] =>
  diffLines(before, after, { maxEditLength: 2000 })?.flatMap(({ added, removed, value }) =>
    added || removed
      ? value
          .trimEnd()
          .split('\n')
          .map((line) => `${added ? '+' : '-'} ${line.trim()}`)
      : [],
  ) ?? ['(nothing in common)'];
