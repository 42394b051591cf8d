import { describe, expect, it } from 'vitest';
import { createPathMatcher, foldedPath, foldedQuery } from '../../src/main/app/path-match';

const match = (query: string, path: string) =>
  createPathMatcher(foldedQuery(query)).match(path, foldedPath(path));

/** Shows a match by putting the characters that were typed in brackets. */
const shown = (query: string, path: string): string | null => {
  const found = match(query, path);
  return found === null
    ? null
    : [...path].map((c, at) => (found.marks.includes(at) ? `[${c}]` : c)).join('');
};

it.each([
  ['auth', 'src/auth.ts', 'src/[a][u][t][h].ts'],
  ['AUTH', 'src/auth.ts', 'src/[a][u][t][h].ts'],
  ['srcts', 'src/auth.ts', '[s][r][c]/auth.[t][s]'],
  ['s/a', 'src/lib/auth.ts', '[s]rc/lib[/][a]uth.ts'],
  ['src\\au', 'src/auth.ts', '[s][r][c][/][a][u]th.ts'],
  ['composer box', 'src/ComposerBox.tsx', 'src/[C][o][m][p][o][s][e][r][B][o][x].tsx'],
  ['xyz', 'src/auth.ts', null],
  ['htua', 'src/auth.ts', null],
  ['ü', 'src/Übersicht.md', 'src/[Ü]bersicht.md'],
  // An accent may be a character of its own, in what is typed as in a name.
  ['caf\u00e9', 'a/cafe\u0301.md', 'a/[c][a][f][e][\u0301].md'],
  ['cafe\u0301', 'a/caf\u00e9.md', 'a/[c][a][f][\u00e9].md'],
  ['İ', 'src/İstanbul.md', null],
  ['src/', 'src/', '[s][r][c][/]'],
] as const)('%s in %s', (query, path, expected) => expect(shown(query, path)).toBe(expected));

describe('the better fit', () => {
  it.each([
    ['index', 'src/index.ts', 'index/src/main.ts'],
    ['auth', 'src/auth.ts', 'src/author-list.ts'],
    ['auth.ts', 'src/auth.ts', 'src/oauth.ts'],
    ['cb', 'src/ComposerBox.tsx', 'src/crab.ts'],
    ['test', 'test/', 'src/latest.ts'],
    ['abc', 'x/abc.ts', 'x/aXbXc.ts'],
  ])('of %s: %s before %s', (query, better, worse) => {
    expect(match(query, better)?.score).toBeGreaterThan(match(query, worse)?.score ?? 0);
  });
});
