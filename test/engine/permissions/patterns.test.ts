import fc from 'fast-check';
import ignore from 'ignore';
import { expect, test } from 'vitest';
import {
  coversPath,
  escapeWildcard,
  matchesSegment,
  matchesWildcard,
  mayOverlap,
  parsePathPattern,
  parseWildcard,
} from '../../../src/main/engine/permissions/patterns';
import { readRule } from '../../../src/main/engine/permissions/rules';
import { runs } from '../../support/runs';

const matches = (specifier: string, text: string) => {
  const rule = { behavior: 'allow', text: `Bash(${specifier})`, source: 'session' } as const;
  const patterns = readRule(rule).parsed?.patterns ?? [];
  return patterns.some((pattern) => matchesWildcard(pattern, text));
};

test.each([
  ['npm test', 'npm test', true],
  ['npm test', 'npm test x', false],
  ['npm test:*', 'npm test', true],
  ['npm test:*', 'npm test x', true],
  ['npm test:*', 'npm tests', false],
  ['npm run *', 'npm run', true],
  ['npm run *', 'npm run x y', true],
  ['ls*', 'lsof', true],
  ['git * main', 'git push origin main', true],
  ['git * main', 'git main', false],
  ['* --help', 'x --help', true],
  ['a:*b', 'a:xb', true],
  ['echo \\*', 'echo *', true],
  ['echo \\*', 'echo x', false],
  ['echo a\\b', 'echo a\\b', true],
])('%s matches %s: %s', (specifier, text, expected) => {
  expect(matches(specifier, text)).toBe(expected);
});

test('an escaped text matches itself and nothing else', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '*', '\\', ' ', ':') }),
      fc.string(),
      (text, other) => {
        const pattern = parseWildcard(escapeWildcard(text));
        expect(matchesWildcard(pattern, text)).toBe(true);
        expect(matchesWildcard(pattern, `${text}${other}`)).toBe(other === '');
      },
    ),
  );
});

test('mayOverlap finds every text that both patterns match', () => {
  const unit = fc.constantFrom('a', 'b', '*');
  const pattern = fc.string({ unit, maxLength: 6 });
  const filling = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(pattern, pattern, filling, (one, other, fillings) => {
      const text = [...one].map((char, i) => (char === '*' ? (fillings[i] ?? '') : char)).join('');
      if (!matchesWildcard(parseWildcard(other), text)) return;
      expect(mayOverlap(parseWildcard(one), parseWildcard(other))).toBe(true);
    }),
    { numRuns: runs(2_000) },
  );
  expect(mayOverlap(parseWildcard('rm *'), parseWildcard('echo *'))).toBe(false);
  expect(mayOverlap(parseWildcard('rm *'), parseWildcard('* x'))).toBe(true);
});

const covers = (pattern: string, target: string, isDirectory = false, ignoreCase = false) => {
  const parsed = parsePathPattern(pattern, false);
  return parsed !== null && coversPath(parsed, target, { isDirectory, ignoreCase });
};

test.each([
  ['.env', '.env', true],
  ['.env', 'a/b/.env', true],
  ['.env', '.env.local', false],
  ['*.env', 'sample.env', true],
  ['src/**', 'src/a/b.ts', true],
  ['src/**', 'src', false],
  ['src/**', 'x/src/a', false],
  ['src/*', 'src/a/b', true],
  ['/src', 'src/a', true],
  ['**/secrets', 'a/secrets/b', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['build/', 'build/x', true],
  ['build/', 'build', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['docs', 'docsX/a', false],
])('%s covers %s: %s', (pattern, target, expected) => {
  expect(covers(pattern, target)).toBe(expected);
});

test('patterns that climb or are empty mean nothing', () => {
  expect(['..', 'a/../b', '', '/', './'].map((text) => parsePathPattern(text, false))).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});

test('letter case is ignored on request', () => {
  expect([covers('Src/**', 'src/a'), covers('Src/**', 'src/a', false, true)]).toEqual([
    false,
    true,
  ]);
});

test('a pathological pattern takes steps in proportion, not exponentially', () => {
  expect(matchesSegment(`${'*a'.repeat(200)}b`, 'a'.repeat(5_000))).toBe(false);
});

test('agrees with the ignore package on ordinary patterns and paths', () => {
  const name = fc.constantFrom('a', 'b', 'ab', 'abc', '.e', 'x.ts', 'A');
  const part = fc.constantFrom(
    'a',
    'b',
    'ab',
    '*',
    'a*',
    '*b',
    '?',
    '*.ts',
    '**',
    '[ab]',
    '.e',
    'a?c',
  );
  const pattern = fc
    .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([lead, parts, tail]) => `${lead ? '/' : ''}${parts.join('/')}${tail ? '/' : ''}`);
  const target = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(pattern, target, (text, file) => {
      const expected = ignore({ ignorecase: false }).add(text).ignores(file);
      expect(covers(text, file), `${text} on ${file}`).toBe(expected);
    }),
    { numRuns: runs(3_000) },
  );
});
