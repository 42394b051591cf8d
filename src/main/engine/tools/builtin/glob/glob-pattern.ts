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
  const { base, glob } = picomatch.scan(pattern);
  const literal = glob === '';
  const folder = literal ? path.posix.dirname(pattern) : base;
  const rest = literal ? path.posix.basename(pattern) : glob;
  const nested = folder === '' || folder === '.';
  const anywhere = nested && !pattern.includes('/');
  return {
    base: nested ? '' : folder,
    matches: picomatch(anywhere ? `**/${rest}` : rest, { dot: true }),
  };
}
