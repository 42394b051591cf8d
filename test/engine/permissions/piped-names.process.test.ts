import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scanLinks } from '../../../src/main/engine/permissions/build-request';
import { createNodeFiles } from '../../../src/main/node/files';
import { createFixture, type Fixture } from './support/judge';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const put = (name: string, text = 'x') => {
  const at = path.join(fixture.project, name);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
};
const judge = async (line: string) => (await fixture.shell(line)).behavior;
const run = (line: string) =>
  execFileSync('bash', ['-c', line], { cwd: fixture.project, encoding: 'utf8' });

describe('THREATS 5 and 6: names that a pipe hands to xargs', () => {
  test('a folder whose name ends in a blank leads xargs outside, and then it asks', async () => {
    const line = "find sub -name '*.txt' | xargs cat";
    expect(await judge(line)).toBe('allow');
    writeFileSync(path.join(fixture.home, 'outside.txt'), 'of somebody else');
    put('sub/b ../outside.txt');
    expect(run('find sub -name outside.txt | xargs cat 2>/dev/null || true')).toContain(
      'of somebody else',
    );
    expect(await judge(line)).toBe('ask');
    expect(await judge("find sub -type f -name '*.txt' -print0 | xargs -0 cat")).toBe('allow');
    expect(await judge("find src -name '*.ts' | xargs cat")).toBe('allow');
  });

  test.each([
    ['a blank', 'a b.txt'],
    ['a quote', "it's.txt"],
    ['a backslash', 'a\\b.txt'],
    ['a line break', 'a\nb.txt'],
    ['an option', '-oPWNED.txt'],
  ])('a name with %s asks unless names are cut at NUL', async (_, name) => {
    put(`sub/${name}`);
    expect(await judge("find sub -name '*.txt' | xargs sort")).toBe('ask');
    expect(await judge("find sub -name '*.md' | xargs sort")).toBe('allow');
    expect(await judge('find sub -type f -print0 | xargs -0 sort')).toBe('allow');
  });

  test('a link that leads outside counts where it would be read', async () => {
    symlinkSync('../../outside.txt', path.join(fixture.project, 'sub', 'out.txt'));
    expect(await judge('find sub | xargs cat')).toBe('ask');
    expect(await judge("find sub -name '*.txt' | xargs cat")).toBe('ask');
    expect(await judge("find sub -name '*.md' | xargs cat")).toBe('allow');
    expect(await judge('find sub -type f | xargs cat')).toBe('allow');
    expect(await judge('rg -l x sub | xargs cat')).toBe('allow');
    expect(await judge('find -L sub -type f | xargs cat')).toBe('ask');
    expect(await judge('grep -r x sub')).toBe('allow');
    expect(await judge('grep -R x sub')).toBe('ask');
  });

  test('links that are followed are followed through folders elsewhere', async () => {
    mkdirSync(path.join(fixture.project, 'deep'));
    symlinkSync('../../outside.txt', path.join(fixture.project, 'deep', 'out.txt'));
    symlinkSync('../deep', path.join(fixture.project, 'sub', 'inside'));
    expect(await judge('grep -R x src')).toBe('allow');
    expect(await judge('grep -R x sub')).toBe('ask');
  });

  test('links in a circle end', async () => {
    symlinkSync('.', path.join(fixture.project, 'sub', 'round'));
    expect(await judge('grep -R x sub')).toBe('allow');
  });
});

test('too much to look through is not looked through', async () => {
  const files = createNodeFiles();
  const many = Array.from({ length: 61_000 }, (_, i) => ({ name: `f${i}`, kind: 'file' as const }));
  const crowded = { ...files, list: async () => ({ ok: true as const, value: many }) };
  const below = { follows: false, links: true, plain: true };
  expect(await scanLinks('/x', below, crowded)).toBeNull();
  expect(await scanLinks(path.join(fixture.project, 'src'), below, files)).toEqual([]);
  rmSync(path.join(fixture.project, 'src'), { recursive: true });
  expect(await scanLinks(path.join(fixture.project, 'src'), below, files)).toEqual([]);
});
