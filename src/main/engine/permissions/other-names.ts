import path from 'node:path';
import type { Files } from '../ports';

/** Files looked at before the search ends: a second name is a rarity, and most are in folders that are left out. */
const MAX_FILES = 4_000;
/** Folders in which package managers and builds keep one file under many names. */
const LEFT_OUT =
  /^(node_modules|\.pnpm|\.yarn|\.?venv|site-packages|target|bazel-.*|\.git|\.nx|\.turbo)$/;

/**
 * Other names of a file (hard links) in a folder and what is below it, as far as they are found. A rule for one name has
 * to hold for the file, whatever it is called.
 */
export async function otherNamesOf(
  realPath: string,
  identity: string,
  folder: string,
  files: Files,
): Promise<readonly string[]> {
  if (realPath.split('/').some((segment) => LEFT_OUT.test(segment))) return [];
  const found: string[] = [];
  const waiting = [folder];
  let left = MAX_FILES;
  for (let next = waiting.shift(); next !== undefined && left > 0; next = waiting.shift()) {
    const listed = await files.list(next);
    for (const { name, kind } of listed.ok ? listed.value : []) {
      const at = path.join(next, name);
      if (kind === 'directory' && !LEFT_OUT.test(name)) waiting.push(at);
      if (kind !== 'file' || at === realPath || left-- <= 0) continue;
      const place = await files.locate(at);
      if (place.ok && place.value.identity === identity) found.push(at);
    }
  }
  return found;
}
