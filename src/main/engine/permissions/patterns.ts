/**
 * Patterns of shell and tool rules: `*` stands for any text, `\*` for a star itself. Matching takes
 * O(pattern × text) steps at most, so that no pattern can make it slow.
 */

/** A pattern taken apart: literal characters, and null for each `*`. */
export type Wildcard = readonly (string | null)[];

/** Reads a pattern. `\*` is a literal star; every other backslash stands for itself. */
export function parseWildcard(pattern: string): Wildcard {
  const parts: (string | null)[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char === '\\' && pattern[i + 1] === '*') {
      parts.push('*');
      i++;
    } else if (char === '*') {
      if (parts.at(-1) !== null || parts.length === 0) parts.push(null);
    } else parts.push(char);
  }
  return parts;
}

/** Writes a text as a pattern that matches only itself. */
export const escapeWildcard = (text: string): string => text.replaceAll('*', '\\*');

/** Tells whether the whole text fits the pattern. */
export function matchesWildcard(pattern: Wildcard, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === null) {
      star = p++;
      resume = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (p < pattern.length && pattern[p] === null) p++;
  return p === pattern.length;
}

/**
 * Tells whether some text fits both patterns. Used for commands with parts known only at run time:
 * those parts are `null` in `other`. Above `MAX_CELLS` steps the answer is yes, because a doubt
 * must not pass as a no.
 */
export function mayOverlap(pattern: Wildcard, other: Wildcard): boolean {
  if (pattern.length * other.length > MAX_CELLS) return true;
  let reachable = new Uint8Array(other.length + 1);
  reachable[0] = 1;
  spread(reachable, other);
  for (const part of pattern) {
    const next = new Uint8Array(other.length + 1);
    for (let i = 0; i <= other.length; i++) {
      if (!reachable[i]) continue;
      if (part === null) {
        next.fill(1, i);
        break;
      }
      if (i < other.length && other[i] === null) next[i] = 1;
      if (i < other.length && other[i] === part) next[i + 1] = 1;
    }
    spread(next, other);
    reachable = next;
  }
  return reachable[other.length] === 1;
}

const MAX_CELLS = 4_000_000;

/** Marks the position behind every reachable star, which may stand for nothing. */
function spread(reachable: Uint8Array, other: Wildcard): void {
  for (let i = 0; i < other.length; i++) {
    if (reachable[i] && other[i] === null) reachable[i + 1] = 1;
  }
}

/**
 * Gitignore-like patterns of file rules, matched against paths relative to the pattern's root. Our own
 * matcher instead of the `ignore` package, because that one compiles to regular expressions that take
 * exponential time on patterns like `*a*a*a*b`; a test holds both against each other.
 */

/** A compiled pattern: one entry per path segment; `**` stands for any number of segments. */
export interface PathPattern {
  readonly segments: readonly string[];
  /** Only directories, and so everything in them, match (`build/`). */
  readonly directoryOnly: boolean;
}

/**
 * Compiles a pattern without its root marker. A pattern with a slash at its start or in its middle
 * (or `anchored`) starts at the root; any other matches at every depth. Null: it can match nothing sensible.
 */
export function parsePathPattern(text: string, anchored: boolean): PathPattern | null {
  const trimmed = text.replace(/(?<!\\) +$/, '');
  const directoryOnly = trimmed.endsWith('/');
  const body = trimmed.replace(/\/+$/, '');
  const fromRoot = anchored || body.includes('/');
  const segments = body.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.length === 0 || segments.includes('..')) return null;
  if (!fromRoot) segments.unshift('**');
  return { segments: collapse(segments), directoryOnly };
}

/**
 * Tells whether a path, relative to the root and without `..`, is covered: it or a directory above
 * it matches. `isDirectory` tells whether the last segment is known to be a directory.
 */
export function coversPath(
  pattern: PathPattern,
  relative: string,
  options: { readonly isDirectory: boolean; readonly ignoreCase: boolean },
): boolean {
  const fold = (text: string) => (options.ignoreCase ? text.toLowerCase() : text);
  const path = fold(relative)
    .split('/')
    .filter((segment) => segment !== '');
  if (path.length === 0) return false;
  const segments = options.ignoreCase ? pattern.segments.map(fold) : pattern.segments;
  const ends = matchedPrefixes(segments, path);
  return ends.some((matched, length) => {
    const isWhole = length === path.length;
    return matched && (!isWhole || !pattern.directoryOnly || options.isDirectory);
  });
}

/** Tells whether a pattern matches just this path, and not only a directory above it. */
export function matchesPath(pattern: PathPattern, relative: string, ignoreCase: boolean): boolean {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const path = fold(relative)
    .split('/')
    .filter((segment) => segment !== '');
  return matchedPrefixes(pattern.segments.map(fold), path)[path.length] === true;
}

/** Tells for each number of leading path segments whether the pattern matches exactly those. */
function matchedPrefixes(segments: readonly string[], path: readonly string[]): boolean[] {
  let reachable: boolean[] = [true, ...path.map(() => false)];
  // Ends as soon as nothing can match any more.
  segments.some((segment, index) => {
    const next = reachable.map(() => false);
    const isLast = index === segments.length - 1;
    for (let i = 0; i <= path.length; i++) {
      if (!reachable[i]) continue;
      if (segment === '**') {
        // A last `**` covers what is inside, not the directory itself.
        next.fill(true, isLast ? i + 1 : i);
        break;
      }
      const name = path[i];
      if (name !== undefined && matchesSegment(segment, name)) next[i + 1] = true;
    }
    reachable = next;
    return !next.includes(true);
  });
  return reachable;
}

/** Matches one path segment against `*`, `?`, `[a-z]` and `\x`, in linear space and quadratic time. */
export function matchesSegment(pattern: string, name: string): boolean {
  if (!/[*?[\\]/.test(pattern)) return pattern === name;
  const tokens = tokenize(pattern);
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  const chars = [...name];
  while (n < chars.length) {
    const token = tokens[p];
    if (token === null) {
      star = p++;
      resume = n;
    } else if (token?.(chars[n] ?? '')) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++resume;
    } else return false;
  }
  while (tokens[p] === null) p++;
  return p === tokens.length;
}

type CharTest = (char: string) => boolean;

/** Splits a pattern into tests of one character; null stands for `*`. */
function tokenize(pattern: string): (CharTest | null)[] {
  const tokens: (CharTest | null)[] = [];
  const chars = [...pattern];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? '';
    if (char === '*') tokens.push(null);
    else if (char === '?') tokens.push(() => true);
    else if (char === '[' && endOfClass(chars, i) > 0) {
      const end = endOfClass(chars, i);
      const body = chars.slice(i + 1, end);
      // What a named class (`[[:alpha:]]`) holds depends on the language: it may be any character.
      tokens.push(body.includes('[') ? () => true : characterClass(body));
      i = end;
    } else {
      const literal = char === '\\' && i + 1 < chars.length ? (chars[++i] ?? '') : char;
      tokens.push((c) => c === literal);
    }
  }
  return tokens;
}

/** Returns where the `]` is that ends a class; -1 where there is none. `[:alpha:]` and its like have a `]` of their own. */
function endOfClass(chars: readonly string[], from: number): number {
  for (let i = from + 1; i < chars.length; i++) {
    const next = chars[i + 1];
    if (chars[i] === '[' && (next === ':' || next === '.' || next === '=')) {
      const close = chars.findIndex(
        (char, at) => at > i + 2 && char === ']' && chars[at - 1] === next,
      );
      if (close > 0) i = close;
    } else if (chars[i] === ']' && i > from + 1) return i;
  }
  return -1;
}

function characterClass(body: readonly string[]): CharTest {
  const negated = body[0] === '!' || body[0] === '^';
  const rest = (negated ? body.slice(1) : body).filter((c) => c !== '\\');
  const tests: CharTest[] = [];
  for (let i = 0; i < rest.length; i++) {
    const from = rest[i] ?? '';
    const to = rest[i + 2];
    if (rest[i + 1] === '-' && to !== undefined) {
      tests.push((c) => c >= from && c <= to);
      i += 2;
    } else tests.push((c) => c === from);
  }
  return (char) => tests.some((test) => test(char)) !== negated;
}

const collapse = (segments: readonly string[]): string[] =>
  segments.filter((segment, i) => segment !== '**' || segments[i - 1] !== '**');
