import { createHash } from 'node:crypto';
import type { ModelRequest } from '../model-client';
import { mapTexts, type Placeholder, scrub } from './scrub';

/** What differs from one recording to the next without meaning anything. */
const DATE = /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?\b/g;

/** Ids that are made anew each time: our own (`b_4k2…`, see the ports' ids) and UUIDs. */
const IDS =
  /\b(?:[a-z]{1,8}_[0-9a-hjkmnp-tv-z]{12}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b/g;

const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';

/** What programs print differently each time: when, and how long it took. Only looked for in results of calls. */
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
 * The ids in a request, in the order they come, as placeholders. The same request made again has others in the
 * same order, so that an answer which names one can be told with the one of the moment.
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
 * A request as it stands in a cassette: no secrets, no places of this machine, nothing that changes from day to
 * day, keys in a fixed order. Two requests that mean the same are equal here.
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

const meantBy = ({ previousMessageId: _, pause: __, ...meant }: ModelRequest) => meant;

/** Results of calls without what programs print differently each time. */
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

/** The name of a normal request's cassette. */
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
