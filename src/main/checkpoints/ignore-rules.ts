import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** A `.gitignore` beyond this is not read. Bytes. */
const MAX_BYTES = 1_000_000;
/** A longer line names no path that a system takes, and may be more than can be made a pattern of. Characters. */
const MAX_LINE = 4_096;

/** The rules that hold in a folder: its own, and those above it, the innermost first. */
export interface IgnoreRules {
  readonly base: string;
  readonly matcher: Ignore;
  readonly above: IgnoreRules | null;
}

/**
 * Returns the rules of a folder that has a `.gitignore`; `base` is its path from the project. With `ignoreCase` they mean
 * names of any case, as git takes them where the system does.
 */
export function readIgnore(
  root: string,
  base: string,
  above: IgnoreRules | null,
  ignoreCase: boolean,
): IgnoreRules {
  let text = '';
  try {
    const bytes = readFileSync(join(root, base, '.gitignore'));
    if (bytes.length <= MAX_BYTES) text = bytes.toString('utf8');
    text = text
      .split('\n')
      .filter(({ length }) => length <= MAX_LINE)
      .join('\n');
  } catch {
    // It went away meanwhile: then it has no rules.
  }
  return { base, matcher: ignore({ allowRelativePaths: true, ignoreCase }).add(text), above };
}

/** Tells whether rules leave a path out. The innermost file that names it decides, as in git. */
export function isIgnored(rules: IgnoreRules | null, path: string, folder: boolean): boolean {
  for (let one = rules; one !== null; one = one.above) {
    const own = one.base === '' ? path : path.slice(one.base.length + 1);
    const { ignored, unignored } = one.matcher.test(folder ? `${own}/` : own);
    if (ignored || unignored) return ignored;
  }
  return false;
}
