import { expect, test, vi } from 'vitest';
import { freeName } from '../../../src/main/hosts/electron/downloads';

vi.mock('electron', () => ({}));

test.each<[string, readonly string[], string]>([
  ['quay.md', [], 'quay.md'],
  ['quay.md', ['quay.md'], 'quay (1).md'],
  ['quay.md', ['quay.md', 'quay (1).md', 'quay (3).md'], 'quay (2).md'],
  ['quay', ['quay'], 'quay (1)'],
  ['a.b.html', ['a.b.html'], 'a.b (1).html'],
])('%s beside %j is saved as %s', (name, there, expected) => {
  expect(freeName(name, (one) => there.includes(one))).toBe(expected);
});
