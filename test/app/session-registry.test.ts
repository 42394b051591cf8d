import { expect, it } from 'vitest';
import { forkTitle } from '../../src/main/app/session-registry';

it.each([
  ['Fix login', [], 'Fix login (2)'],
  ['Fix login', ['Fix login (2)', 'Fix login (3)'], 'Fix login (4)'],
  ['Fix login (2)', ['Fix login (2)'], 'Fix login (3)'],
  ['Fix (all) logins', [], 'Fix (all) logins (2)'],
] as const)('a copy of %s beside %j is %s', (title, taken: readonly string[], expected) =>
  expect(forkTitle(title, new Set(taken))).toBe(expected),
);
