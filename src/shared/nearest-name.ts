/** Longer names are not compared: nobody mistypes them by a letter. UTF-16 units. */
const MAX_LENGTH = 60;

/**
 * Returns the known name that a mistyped one most likely means, letter case ignored; null when none is near. Two
 * letters in the wrong order count as one mistake, of which there are `most` at most. Pure.
 */
export function nearestName(name: string, known: Iterable<string>, most = 3): string | null {
  if (name.length > MAX_LENGTH) return null;
  const typed = name.toLowerCase();
  let nearest: string | null = null;
  let least = Math.min(most, Math.ceil(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const found = mistakes(typed, candidate.toLowerCase());
    if (found < least) {
      least = found;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Counts the letters to insert, remove, replace or swap to make one text of another. */
function mistakes(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const above = row[j] ?? 0;
      const left = next[j - 1] ?? 0;
      let least = Math.min(above + 1, left + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
