/** The fit of a path to what was typed: higher is better. */
interface PathMatch {
  readonly score: number;
  /** Places of the typed characters in the path, ascending. */
  readonly marks: readonly number[];
}

const CONSECUTIVE = 6;
const BOUNDARY = 8;
const IN_NAME = 3;
const GAP = 1;
const WHOLE_NAME = 60;
const WHOLE_STEM = 45;
const NAME_START = 30;

/** Returns what was typed as it is compared: lower case, without spaces, with forward slashes. */
export const foldedQuery = (text: string): string =>
  text.replace(/\s+/g, '').replaceAll('\\', '/').toLowerCase();

/** Lowers a path for comparing, unless that would move its characters (as `İ` does). */
export function foldedPath(path: string): string {
  const lower = path.toLowerCase();
  return lower.length === path.length ? lower : path;
}

/**
 * Matches a folded query against a path, whose characters must come in the query's order; null when they do not.
 * Hits in the name, at beginnings of words and side by side count more. Linear in the length of the path. Pure.
 */
export function matchPath(query: string, path: string, folded: string): PathMatch | null {
  const nameAt = folded.lastIndexOf('/', folded.length - 2) + 1;
  const marks = query.includes('/')
    ? placesOf(query, folded, 0)
    : (placesOf(query, folded, nameAt) ?? placesOf(query, folded, 0));
  if (marks === null) return null;
  let score = 0;
  let before = -2;
  for (const at of marks) {
    if (at === before + 1) score += CONSECUTIVE;
    else if (before >= 0) score -= Math.min(5, at - before) * GAP;
    if (isBoundary(path, at)) score += BOUNDARY;
    if (at >= nameAt) score += IN_NAME;
    before = at;
  }
  const name = folded.slice(nameAt).replace(/\/$/, '');
  if (name === query) score += WHOLE_NAME;
  else if (name.startsWith(`${query}.`)) score += WHOLE_STEM;
  else if (name.startsWith(query)) score += NAME_START;
  return { score, marks };
}

/**
 * Finds the query's characters in a path from `start` on: side by side where they are, else the shortest stretch
 * that ends where the query can first end.
 */
function placesOf(query: string, path: string, start: number): readonly number[] | null {
  const whole = path.indexOf(query, start);
  if (whole >= 0) {
    const side = new Array<number>(query.length);
    for (let i = 0; i < query.length; i += 1) side[i] = whole + i;
    return side;
  }
  let end = start - 1;
  for (let i = 0; i < query.length; i += 1) {
    end = path.indexOf(query.charAt(i), end + 1);
    if (end < 0) return null;
  }
  const marks = new Array<number>(query.length);
  let at = end + 1;
  for (let i = query.length - 1; i >= 0; i -= 1) {
    at = path.lastIndexOf(query.charAt(i), at - 1);
    marks[i] = at;
  }
  return marks;
}

/** Tells whether a word of a path begins at a place: after a separator, or at a capital behind a small letter. */
function isBoundary(path: string, at: number): boolean {
  if (at === 0) return true;
  const before = path.charAt(at - 1);
  if ('/._- '.includes(before)) return true;
  const code = path.charCodeAt(at);
  // Small letters and digits are most of all paths, and the test for the rest is slow.
  if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return false;
  return /\p{Lu}/u.test(path.charAt(at)) && /\p{Ll}/u.test(before);
}
