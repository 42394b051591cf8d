import { expect, test } from 'vitest';
import { addedIn } from '../../../src/main/engine/permissions/addable-files';
import type { Files } from '../../../src/main/engine/ports';

/** A repository with files in its folder, and the patterns of what git leaves out there. */
function repository(names: readonly string[], ignored: string): Files {
  const entries = ['.gitignore', ...names].map((name) => ({ name, kind: 'file' as const }));
  return {
    stat: async () => ({ ok: true, value: { kind: 'directory' } }),
    list: async () => ({ ok: true, value: entries }),
    read: async (path: string) =>
      path.endsWith('.gitignore')
        ? { ok: true, value: new TextEncoder().encode(ignored) }
        : { ok: false },
  } as unknown as Files;
}

const named = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
const added = (files: Files, names: readonly string[] = []) =>
  addedIn([''], '/p', { root: '/p', names, excludes: '/p/.git/info/exclude' }, false, files);

test.each([
  ['./.env', true],
  ['./*env', true],
  ['//.env', true],
  ['/./.env', true],
  ['.env', false],
  ['/.env', false],
  ['*env', false],
])('by the pattern %s git takes up .env: %s', async (pattern, isTaken) => {
  expect((await added(repository(['.env'], pattern)))?.includes('.env')).toBe(isTaken);
});

test('files that git tracks are not counted', async () => {
  const names = named(25_000);
  expect(await added(repository([...names, 'new'], ''), names)).toEqual(['.gitignore', 'new']);
  expect(await added(repository(names, ''))).toBeNull();
});

test('many files are not compared with many patterns', async () => {
  const names = named(3000);
  expect(await added(repository(names, names.join('\n')))).toBeNull();
  expect(await added(repository(names, 'f*\n'.repeat(100)))).toEqual(['.gitignore']);
});
