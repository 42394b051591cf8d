import path from 'node:path';
import type { Files } from '../../../ports';

/** A folder with more entries is not searched. */
const MAX_ENTRIES = 5000;
const MAX_SUGGESTIONS = 3;

/** Files beside a missing one that may have been meant. Full paths, best first. */
export async function similarFiles(missing: string, files: Files): Promise<readonly string[]> {
  const folder = path.dirname(missing);
  const listed = await files.list(folder);
  if (!listed.ok || listed.value.length > MAX_ENTRIES) return [];
  const wanted = path.basename(missing);
  return listed.value
    .map((entry) => ({ name: entry.name, distance: nameDistance(wanted, entry.name) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 4))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => path.join(folder, name));
}

/** How far two file names are apart: 0.5 for the same name with another ending, else the number of typing errors. */
function nameDistance(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return 0;
  if (path.parse(left).name === path.parse(right).name) return 0.5;
  return editDistance(left, right);
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
