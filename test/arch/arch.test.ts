import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkArchitecture, describeViolation } from './check';
import { readSources } from './source-file';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'test', 'scripts', 'docs', 'resources'];

test('the source keeps every rule of test/arch/rules.ts', () => {
  const sources = readSources(ROOT, FOLDERS);
  expect(sources.length).toBeGreaterThan(20);
  expect(checkArchitecture(sources).map(describeViolation).join('\n')).toBe('');
});
