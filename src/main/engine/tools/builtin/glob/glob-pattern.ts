import path from 'node:path';
import picomatch from 'picomatch';

/** A pattern taken apart: where to look, and what names must look like from there. */
export interface GlobPlan {
  /** Relative to where the search starts, `~/…` or absolute; '' is the start itself. */
  readonly base: string;
  readonly matches: (relativePath: string) => boolean;
}

/**
 * Splits the leading folders without wildcards off a pattern, so that only they are listed. A pattern without a
 * slash matches at any depth, as in an ignore file.
 */
export function planGlob(pattern: string): GlobPlan {
  const { base, glob, negated } = picomatch.scan(pattern);
  if (negated) return { base: '', matches: matcher(pattern) };
  const literal = glob === '';
  const folder = literal ? path.posix.dirname(pattern) : base;
  const rest = literal ? path.posix.basename(pattern) : glob;
  const nested = folder === '' || folder === '.';
  const anywhere = nested && !pattern.includes('/');
  return {
    base: nested ? '' : folder.replace(/\\(.)/g, '$1'),
    matches: matcher(anywhere ? `**/${rest}` : rest),
  };
}

function matcher(glob: string): (relativePath: string) => boolean {
  const isMatch = picomatch(glob, { dot: true });
  return (relativePath) => isMatch(relativePath);
}
