import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const HOST = 'src/main/hosts/electron';

/** What a name stands for in the sources: modules of Electron, and what their calls return. */
const OF_ELECTRON =
  /\b(app|dialog|shell|session|Menu|nativeTheme|clipboard|screen|protocol|safeStorage|powerSaveBlocker|nativeImage|ipcMain|contextBridge|ipcRenderer|webUtils|BrowserWindow|window|webContents|page|tray|notification|Notification|Tray|dock)\??\.(?:(?:once|on|off)\('([\w-]+)'|(?!once\b|on\b|off\b)(\w+))/g;
/** Of the page's own `window`, in the preload, and of a rectangle. */
const OTHERS = new Set(['addEventListener', 'x', 'y', 'width', 'height', 'session']);

test('docs/desktop.md names every part of Electron that is used, and says where it was read and what tests it', async () => {
  const text = await readFile(join(ROOT, 'docs/desktop.md'), 'utf8');
  const [, table = ''] = /## What is used of Electron\n([^#]*)/.exec(text) ?? [];
  const named = new Set(
    [...table.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/[^\w-]+/)),
  );
  const files = (await readdir(join(ROOT, HOST))).map((name) => `${HOST}/${name}`);
  const used = new Set<string>();
  for (const file of [...files, 'src/preload/index.ts', 'src/main/index.ts']) {
    const code = (await readFile(join(ROOT, file), 'utf8')).replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
    for (const [, , event, member] of code.matchAll(OF_ELECTRON)) used.add(event ?? member ?? '');
  }
  expect(used.size).toBeGreaterThan(90);
  expect([...used].filter((name) => !OTHERS.has(name) && !named.has(name))).toEqual([]);
  for (const row of table.split('\n').filter((line) => line.startsWith('| `')))
    expect(row.split(' | ').map((cell) => cell.length > 2)).toEqual([true, true, true, true]);
});

test('each row of that table names files that use its parts, and tests that there are', async () => {
  const text = await readFile(join(ROOT, 'docs/desktop.md'), 'utf8');
  const [, table = ''] = /## What is used of Electron\n([^#]*)/.exec(text) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const paths = await readdir(join(ROOT, 'test'), { recursive: true });
  const tests = paths.filter((path) => /\.(test|spec)\.ts$/.test(path));
  const titles = await Promise.all(tests.map((path) => readFile(join(ROOT, 'test', path), 'utf8')));
  const codes = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const wrong: string[] = [];
  for (const row of rows) {
    const [api = '', , files = '', shown = ''] = row.slice(2).split(' | ');
    const sources = await Promise.all(
      codes(files).map((file) =>
        readFile(join(ROOT, /[/]|config/.test(file) ? file : `${HOST}/${file}`), 'utf8'),
      ),
    );
    for (const name of codes(api)) {
      const last = name.split('.').at(-1) ?? '';
      if (!sources.some((source) => source.includes(last))) wrong.push(`${name} in ${files}`);
    }
    for (const [, title = ''] of shown.matchAll(/"([^"]+)"/g))
      if (!titles.some((source) => source.includes(title))) wrong.push(`"${title}"`);
    for (const test of codes(shown).filter((code) => code.endsWith('.test.ts')))
      if (!tests.some((path) => `test/${path}`.endsWith(test))) wrong.push(test);
  }
  expect(rows.length).toBeGreaterThan(25);
  expect(wrong).toEqual([]);
});
