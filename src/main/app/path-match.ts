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

/** Returns what was typed as it is compared: lower case, accents composed, without spaces, with forward slashes. */
export const foldedQuery = (text: string): string =>
  text.replace(/\s+/g, '').replaceAll('\\', '/').toLowerCase().normalize('NFC');

/** Lowers a path for comparing, unless that would move its characters (as `İ` does). */
export function foldedPath(path: string): string {
  const lower = path.toLowerCase();
  return lower.length === path.length ? lower : path;
}

/** Matches one folded query against paths, whose characters must come in the query's order. */
export interface PathMatcher {
  /** Returns how well a path fits, higher is better; null when it does not. Linear in the length of the path. */
  score(path: string, folded: string): number | null;
  /** Returns the match of a path with its places. */
  match(path: string, folded: string): PathMatch | null;
}

/**
 * Creates a matcher. A letter with an accent is one character or two in the names of files, by the system that wrote them:
 * both are found.
 */
export function createPathMatcher(query: string): PathMatcher {
  const composed = createFormMatcher(query);
  const split = query.normalize('NFD');
  if (split === query) return composed;
  const decomposed = createFormMatcher(split);
  return {
    score: (path, folded) => composed.score(path, folded) ?? decomposed.score(path, folded),
    match: (path, folded) => composed.match(path, folded) ?? decomposed.match(path, folded),
  };
}

/**
 * Creates a matcher of a query as it is written. Hits in the name, at beginnings of words and side by side count more. Nothing is made for a path that is
 * only scored: there may be a hundred thousand of them for each key.
 */
function createFormMatcher(query: string): PathMatcher {
  const hasSlash = query.includes('/');
  const { length } = query;
  const marks = new Int32Array(length);

  /**
   * Finds the query's characters in a path from `start` on: side by side where they are, else the shortest stretch
   * that ends where the query can first end.
   */
  const place = (path: string, start: number): boolean => {
    const whole = path.indexOf(query, start);
    if (whole >= 0) {
      for (let i = 0; i < length; i += 1) marks[i] = whole + i;
      return true;
    }
    // One character that is not there side by side is not there at all.
    if (length === 1) return false;
    let end = start - 1;
    for (let i = 0; i < length; i += 1) {
      end = path.indexOf(query.charAt(i), end + 1);
      if (end < 0) return false;
    }
    let at = end + 1;
    for (let i = length - 1; i >= 0; i -= 1) {
      at = path.lastIndexOf(query.charAt(i), at - 1);
      marks[i] = at;
    }
    return true;
  };

  const score = (path: string, folded: string): number | null => {
    const nameAt = folded.lastIndexOf('/', folded.length - 2) + 1;
    if (!(!hasSlash && nameAt > 0 && place(folded, nameAt)) && !place(folded, 0)) return null;
    let points = 0;
    let before = -2;
    for (let i = 0; i < length; i += 1) {
      const at = marks[i] ?? 0;
      if (at === before + 1) points += CONSECUTIVE;
      else if (before >= 0) points -= Math.min(5, at - before) * GAP;
      if (isBoundary(path, at)) points += BOUNDARY;
      if (at >= nameAt) points += IN_NAME;
      before = at;
    }
    const isFolder = folded.endsWith('/');
    const nameLength = folded.length - nameAt - (isFolder ? 1 : 0);
    if (length > nameLength || !folded.startsWith(query, nameAt)) return points;
    if (length === nameLength) return points + WHOLE_NAME;
    return points + (folded.charCodeAt(nameAt + length) === DOT ? WHOLE_STEM : NAME_START);
  };

  return {
    score,
    match: (path, folded) => {
      const points = score(path, folded);
      return points === null ? null : { score: points, marks: [...marks] };
    },
  };
}

const DOT = 0x2e;

/** Tells the signs that words of a path begin behind: `/ . _ -` and a space. */
const isSeparator = (code: number): boolean =>
  code === 0x2f || code === DOT || code === 0x5f || code === 0x2d || code === 0x20;

/** Tells whether a word of a path begins at a place: after a separator, or at a capital behind a small letter. */
function isBoundary(path: string, at: number): boolean {
  if (at === 0 || isSeparator(path.charCodeAt(at - 1))) return true;
  const code = path.charCodeAt(at);
  // No capital of ASCII, as most characters of paths; the test for the rest is slow.
  if (code < 128 && (code < 65 || code > 90)) return false;
  return /\p{Lu}/u.test(path.charAt(at)) && /\p{Ll}/u.test(path.charAt(at - 1));
}
