import { createHash } from 'node:crypto';
import { diffLines } from 'diff';
import type { ModelRequest } from './model-client';
import { mapTexts, type Placeholder, scrub } from './scrub';

/** Dates, which differ from one recording to the next without meaning anything. */
const DATE = /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?\b/g;

/** Ids that differ each time: our own (`b_4k2…`, see the ports' ids) and UUIDs. */
const IDS =
  /\b(?:[a-z]{1,8}_[0-9a-hjkmnp-tv-z]{12}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b/g;

const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';

/** Times and durations, which programs print differently each time. Only looked for in results of calls. */
const PRINTED: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      `\\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +)?(?:${MONTH}) +\\d{1,2},? +(?:\\d{1,2}:\\d{2}(?::\\d{2})?|\\d{4})(?: +[A-Z]{3,5})?(?: +\\d{4})?\\b`,
      'g',
    ),
    '{{date}}',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b/g, '{{time}}'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?)\b/g, '{{duration}}'],
];

/**
 * Lists the ids in a request, in their order, as placeholders. The same request made again has others in the same order,
 * so that a recorded answer can name the current ones.
 */
export function idsOf(request: ModelRequest): readonly Placeholder[] {
  const found = new Set<string>();
  mapTexts(meantBy(request), (text) => {
    for (const id of text.match(IDS) ?? []) found.add(id);
    return text;
  });
  return [...found].map((value, i) => ({ name: `{{id-${i + 1}}}`, value }));
}

/**
 * Normalises a request for a cassette: no secrets, no places of this machine, nothing that changes from day to day, keys
 * in a fixed order. Two requests that mean the same are equal then.
 */
export function normalRequest(
  request: ModelRequest,
  secrets: readonly string[],
  places: readonly Placeholder[],
): unknown {
  const clean = mapTexts(meantBy(request), (text) =>
    scrub(text, secrets, places).replace(DATE, '{{date}}'),
  );
  return sorted(withSettledResults(clean));
}

const meantBy = ({
  previousMessageId: _,
  pause: __,
  systemFor: ___,
  trace: ____,
  purpose: _____,
  ...meant
}: ModelRequest) => meant;

/** Replaces, in results of calls, what programs print differently each time. */
function withSettledResults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSettledResults);
  if (typeof value !== 'object' || value === null) return value;
  if (Reflect.get(value, 'type') === 'tool_result') {
    return mapTexts(value, (text) =>
      PRINTED.reduce((clean, [shape, name]) => clean.replace(shape, name), text),
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withSettledResults(inner)]),
  );
}

/** Returns the name of a normal request's cassette. */
export const cassetteKey = (normal: unknown): string =>
  createHash('sha256').update(JSON.stringify(normal)).digest('hex').slice(0, 20);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** A recorded request and the file it stands in. */
export interface Recorded {
  readonly file: string;
  readonly request: unknown;
}

/** The most changed lines that are shown. */
const SHOWN_LINES = 12;
/** The longest line that is shown. Characters. */
const SHOWN_CHARS = 160;

/** The part of a line that is shown before the place where it differs. Characters. */
const KEPT_BEFORE = 40;
/** The most changed lines of two requests that have something in common. */
const MAX_EDITS = 2000;

/** Describes the recording nearest to a request, and what differs, for the user who has to record again. */
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

/** Lists changed lines; leaves out, of two that replace each other, what comes before the difference. */
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

/** Cuts a line to begin a little before the place where it differs from another. */
function around(line: string, other: string): string {
  const differs = [...line].findIndex((character, i) => character !== other[i]);
  const start = differs < 0 ? 0 : Math.max(0, differs - KEPT_BEFORE);
  return start === 0 ? line : `…${line.slice(start)}`;
}
