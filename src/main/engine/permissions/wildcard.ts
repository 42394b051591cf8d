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

/** Whether the whole text fits the pattern. */
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
 * Whether some text fits both patterns. Used for commands with parts known only at run time: those parts
 * are `null` in `other`. Above `MAX_CELLS` steps the answer is yes, because a doubt must not pass as a no.
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

/** A star may stand for nothing: whoever stands before it may stand behind it. */
function spread(reachable: Uint8Array, other: Wildcard): void {
  for (let i = 0; i < other.length; i++) {
    if (reachable[i] && other[i] === null) reachable[i + 1] = 1;
  }
}
