import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { soon } from '../support/soon';
import { createElectronDouble } from './double/electron-double';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let running: RunningApp | null = null;
afterEach(async () => {
  await running?.stop();
  running = null;
});

async function start() {
  const double = createElectronDouble();
  running = await runBuiltApp(double);
  await soon(() => expect(double.started()).toBe(true));
  const window = double.windows[0];
  if (window === undefined) throw new Error('No window');
  return { double, window };
}

test('the menu follows the keys of the user while the app runs', async () => {
  const { double } = await start();
  const keyOf = (wanted: string) =>
    double
      .menu()
      .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
      .find(({ label }) => label === wanted)?.accelerator;
  await soon(() => expect(keyOf('Show or Hide Dock')).toBe('CmdOrCtrl+J'));
  const folder = join(dirname(running?.latheHome ?? ''), '.claude');
  await mkdir(folder, { recursive: true });
  const bindings = { 'mod+shift+y': 'toggleDock', 'mod+j': null, 'mod+shift+n': 'files' };
  await writeFile(
    join(folder, 'keybindings.json'),
    JSON.stringify({ bindings: [{ context: 'Lathe', bindings }] }),
  );
  await soon(() => expect(keyOf('Show or Hide Dock')).toBe('CmdOrCtrl+Shift+Y'));
  expect(keyOf('New Window')).toBeUndefined();
});

test('a right click offers what can be done there: spellings, editing, copying, or nothing', async () => {
  const { double, window } = await start();
  const flags = { canCut: false, canCopy: true, canPaste: true, canSelectAll: true };
  const nothing = {
    ...{ isEditable: false, editFlags: flags, misspelledWord: '', selectionText: '' },
    ...{ dictionarySuggestions: [] as string[], x: 3, y: 4 },
  };
  const offered = (place: object) => {
    window.webContents.emit('context-menu', {}, { ...nothing, ...place });
    return (double.popups.at(-1) ?? []).map(({ label, role, type, enabled }) =>
      [label ?? role ?? type, enabled === false ? 'off' : ''].join(''),
    );
  };
  expect(offered({})).toEqual(['Inspect']);
  expect(offered({ selectionText: 'a word' })).toEqual(['copy', 'separator', 'Inspect']);
  const misspelled = {
    misspelledWord: 'teh',
    dictionarySuggestions: ['the', 'R&D', 'a', 'b', 'c', 'd'],
  };
  expect(offered({ isEditable: true, ...misspelled })).toEqual([
    ...['the', 'R&&D', 'a', 'b', 'c', 'Add to Dictionary', 'separator'],
    ...['cutoff', 'copy', 'paste', 'selectAll', 'separator', 'Inspect'],
  ]);
  for (const item of double.popups.at(-1) ?? [])
    if (['the', 'Add to Dictionary', 'Inspect'].includes(item.label ?? ''))
      item.click?.({} as never, undefined, {} as never);
  expect(window.webContents).toMatchObject({
    ...{ respelled: ['the'], learned: ['teh'], inspected: [[3, 4]] },
  });
});
