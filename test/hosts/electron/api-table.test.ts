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
