import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRule } from '../../../src/main/engine/permissions/rules';
import {
  escapeWildcard,
  matchesWildcard,
  mayOverlap,
  parseWildcard,
} from '../../../src/main/engine/permissions/wildcard';

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
    { numRuns: 2_000 },
  );
  expect(mayOverlap(parseWildcard('rm *'), parseWildcard('echo *'))).toBe(false);
  expect(mayOverlap(parseWildcard('rm *'), parseWildcard('* x'))).toBe(true);
});
