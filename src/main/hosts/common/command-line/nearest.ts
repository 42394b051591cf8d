/** The candidate that is most like a mistyped word, or null when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({
      candidate,
      distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, word.length / 3)
    ? best.candidate
    : null;
}

/** How many single-character insertions, deletions and replacements lead from one word to the other. */
export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const shifted = Math.min(previous[column] ?? 0, current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, shifted));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
