import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { THREATS } from './threats';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The lines that have to be held by a test. */
const NUMBERS = Array.from({ length: 20 }, (_, i) => i + 1);

describe('the index of threats', () => {
  test('has every number once, each with a defence and a test', () => {
    expect(THREATS.map(({ number }) => number)).toEqual(NUMBERS);
    for (const { defence, guards } of THREATS) {
      expect(defence).toMatch(/^[A-Zg].*\.$/);
      expect(guards.length).toBeGreaterThan(0);
    }
  });

  test.each(
    THREATS.flatMap(({ number, guards }) =>
      guards.map(({ file, title }) => [number, file, title] as const),
    ),
  )('%i: %s has "%s"', (number, file, title) => {
    const titles = [...read(file).matchAll(/['"`](THREATS [^\n]*)/g)].map(
      ([, found = '']) => found,
    );
    expect(titles.filter((found) => found.startsWith(title))).not.toEqual([]);
    expect(title).toMatch(new RegExp(`^THREATS ([0-9]+, )*${number}\\b`));
  });

  test('docs/security.md tells of each line as it is here', () => {
    const text = read('docs/security.md');
    for (const { number, defence } of THREATS) expect(text).toContain(`| ${number} | ${defence}`);
  });
});

test('THREATS 9: no text becomes HTML anywhere in the page', () => {
  const files = readdirSync(join(ROOT, 'src/renderer'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => /\.(tsx?|html)$/.test(name));
  expect(sources.length).toBeGreaterThan(100);
  const ways =
    /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment|DOMParser|\beval\(|new Function\b|<(iframe|embed|object|webview)\b/;
  const found = sources.filter((name) => ways.test(read(join('src/renderer', name))));
  expect(found).toEqual([]);
  // Pictures are those the user put in and files of the project that the rules let be read, by their bytes, and drawings
  // of ours: nothing that a text names is ever loaded from elsewhere.
  const pictures = sources.flatMap((name) => [
    ...read(join('src/renderer', name)).matchAll(/<img\s+src=(\S+)/g),
    ...read(join('src/renderer', name)).matchAll(/<img(?!\s+src=)/g),
  ]);
  expect(pictures.map(([, src]) => src)).toEqual(
    pictures.map(() => expect.stringMatching(/^\{(imageUrl|drawingUrl)\([\w.]+\)\}$/)),
  );
  expect(read('src/renderer/chat/Diagram.tsx')).toMatch(/`data:image\/svg\+xml;charset=utf-8,/);
  expect(read('src/renderer/store/attachments.ts')).toMatch(
    /`data:\$\{mediaType\};base64,\$\{data\}`/,
  );
});

test('THREATS 10: packages are built with fuses that lock the program down', () => {
  const fuses = /^electronFuses:\n((?: {2}.*\n)+)/m.exec(read('electron-builder.yml'))?.[1] ?? '';
  expect(
    Object.fromEntries(
      fuses
        .trim()
        .split(/\n */)
        .map((line) => line.split(': ')),
    ),
  ).toMatchObject({
    enableNodeOptionsEnvironmentVariable: 'false',
    enableNodeCliInspectArguments: 'false',
    enableCookieEncryption: 'true',
    enableEmbeddedAsarIntegrityValidation: 'true',
    onlyLoadAppFromAsar: 'true',
    grantFileProtocolExtraPrivileges: 'false',
  });
});

test('THREATS 13: nothing makes dumps of memory', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => /\.tsx?$/.test(name));
  const ways = /crashReporter|writeHeapSnapshot|getHeapSnapshot|setHeapSnapshotNearHeapLimit/;
  expect(sources.filter((name) => ways.test(read(join('src', name))))).toEqual([]);
});
