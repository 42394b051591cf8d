import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { checkArchitecture, describeViolation } from './check';
import { readSource } from './source-file';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'test', 'scripts', 'docs', 'resources'];
const READ = /\.(?:[cm]?[jt]sx?|css|html|md|json|ya?ml)$/;

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && READ.test(e.name))
    .map((e) => join(e.parentPath, e.name));
}

const existing = (names: readonly string[]): string[] => {
  const here = new Set(readdirSync(ROOT));
  return names.filter((name) => here.has(name)).map((name) => join(ROOT, name));
};

/** Reads and scans every file: on a machine in use that takes a while. Milliseconds. */
const READING_MS = 180_000;

test('the source keeps every rule of test/arch/rules.ts', { timeout: READING_MS }, () => {
  const sources = existing(FOLDERS)
    .flatMap(filesIn)
    .map((path) =>
      readSource(relative(ROOT, path).split(sep).join('/'), readFileSync(path, 'utf8')),
    );
  expect(sources.length).toBeGreaterThan(20);
  expect(checkArchitecture(sources).map(describeViolation).join('\n')).toBe('');
});
