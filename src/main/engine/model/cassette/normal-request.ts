import { createHash } from 'node:crypto';
import type { ModelRequest } from '../model-client';
import { mapTexts, type Placeholder, scrub } from './scrub';

/** What differs from one recording to the next without meaning anything. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?\b/g, '{{date}}'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '{{uuid}}'],
];

/**
 * A request as it stands in a cassette: no secrets, no places of this machine, nothing that changes from day to
 * day, keys in a fixed order. Two requests that mean the same are equal here.
 */
export function normalRequest(
  request: ModelRequest,
  secrets: readonly string[],
  places: readonly Placeholder[],
): unknown {
  const { previousMessageId: _, pause: __, ...meant } = request;
  return sorted(
    mapTexts(meant, (text) =>
      CHANGING.reduce(
        (clean, [shape, name]) => clean.replace(shape, name),
        scrub(text, secrets, places),
      ),
    ),
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
