import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';
import { afterEach, expect, test } from 'vitest';
import { tempFolder } from '../node/temp-folder';
import { soon } from '../support/soon';
import {
  createElectronDouble,
  type DoubleOptions,
  type ElectronDouble,
} from './double/electron-double';
import { onPlatform } from './double/platform';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let running: RunningApp | null = null;

afterEach(async () => {
  await running?.stop();
  running = null;
});

/** Starts the app and waits for its first window. `found` are files in Lathe's home. */
async function start(
  words: readonly string[] = [],
  found: Readonly<Record<string, string>> = {},
  options: DoubleOptions = {},
): Promise<ElectronDouble> {
  const double = createElectronDouble(options);
  running = await runBuiltApp(double, { words, found });
  await soon(() => expect(double.started()).toBe(true));
  return double;
}

const savedText = () => readFile(join(running?.latheHome ?? '', 'windows.json'), 'utf8');
const saved = async () => JSON.parse(await savedText());

/** Quits the app and starts it with the windows that it wrote down. */
async function startAgain(words: readonly string[] = []): Promise<ElectronDouble> {
  await running?.quit();
  const text = await savedText();
  await running?.stop();
  return start(words, { 'windows.json': text });
}

const bounds = { x: 10, y: 20, width: 1280, height: 800 };

test('the windows that were open come back, where they were, and none for a start that names a folder', async () => {
  const first = await start(['/home/ann/harbour']);
  first.app.emit('second-instance', {}, [], '/home/ann', { words: ['lighthouse'] });
  await soon(() => expect(first.windows).toHaveLength(2));
  const [, lighthouse] = first.windows;
  if (lighthouse) lighthouse.maximized = true;
  const again = await startAgain();
  await soon(() => expect(again.windows).toHaveLength(2));
  expect((await saved()).open).toEqual([
    { project: '/home/ann/harbour', sessionId: null, bounds, maximized: false },
    { project: '/home/ann/lighthouse', sessionId: null, bounds, maximized: true },
  ]);
  expect(again.windows.map(({ options: { x, width } }) => [x, width])).toEqual([
    [10, 1280],
    [10, 1280],
  ]);
  await soon(() => expect(again.windows[1]).toMatchObject({ shown: true, maximized: true }));
  const named = await startAgain(['/home/ann/jetty']);
  expect(named.windows).toHaveLength(1);
});

test.each([
  ['open-file', '/home/ann/jetty'],
  ['open-url', 'lathe://open?folder=/home/ann/jetty'],
])(
  'what macOS hands over with a start (%s) opens alone, as a folder in its words does',
  async (event, given) => {
    await start(['/home/ann/harbour']);
    await running?.quit();
    const text = await savedText();
    await running?.stop();
    for (const found of [{}, { 'windows.json': text }]) {
      const double = createElectronDouble();
      const become = double.app.becomeReady.bind(double.app);
      // It comes after the entry has run, and before Electron says ready.
      double.app.becomeReady = () => {
        double.app.emit(event, { preventDefault() {} }, given);
        become();
      };
      running = await runBuiltApp(double, { found });
      await soon(() => expect(double.started()).toBe(true));
      await running.quit();
      expect((await saved()).open).toMatchObject([{ project: '/home/ann/jetty' }]);
      await running.stop();
    }
  },
);

test('a window comes back on the screen that it was on, however large, and on the main one when that is gone', async () => {
  const large = { x: 2000, y: 20, width: 2400, height: 1300 };
  const open = [{ project: null, sessionId: null, bounds: large, maximized: false }];
  const found = { 'windows.json': JSON.stringify({ places: {}, open }) };
  const main = { x: 0, y: 0, width: 1440, height: 900 };
  const both = await start([], found, {
    screens: [main, { x: 1920, y: 0, width: 2560, height: 1440 }],
  });
  expect(both.windows[0]?.bounds).toEqual(large);
  await running?.stop();
  const alone = await start([], found, { screens: [main] });
  expect(alone.windows[0]?.options).not.toHaveProperty('x');
  expect(alone.windows[0]?.bounds).toMatchObject({ width: 1280, height: 800 });
});

test('a folder has one window, whatever link or spelling leads there', async () => {
  const home = await realpath(await tempFolder());
  await mkdir(join(home, 'harbour'));
  await mkdir(join(home, 'jetty'));
  await symlink('harbour', join(home, 'link'));
  const { app, windows } = await start([join(home, 'link')]);
  for (const words of ['harbour', './link', 'link/../harbour', 'harbour/'])
    app.emit('second-instance', {}, [], home, { words: [words] });
  app.emit('second-instance', {}, [], home, { words: ['jetty'] });
  await soon(() => expect(windows).toHaveLength(2));
  windows[0]?.emit('blur');
  await soon(async () =>
    expect((await saved()).open.map(({ project }: { project: string }) => project)).toEqual([
      join(home, 'harbour'),
      join(home, 'jetty'),
    ]),
  );
});

test('a window that the user closed does not come back', async () => {
  const first = await start(['/home/ann/harbour']);
  first.app.emit('second-instance', {}, [], '/home/ann', { words: ['lighthouse'] });
  await soon(() => expect(first.windows).toHaveLength(2));
  first.windows[0]?.close();
  await soon(async () => expect((await saved()).open).toHaveLength(1));
  const again = await startAgain();
  expect((await saved()).open).toMatchObject([{ project: '/home/ann/lighthouse' }]);
  expect(again.windows).toHaveLength(1);
});

test('what was open is written down when a window loses the focus, for a crash comes without a word', async () => {
  const { windows, app } = await start(['/home/ann/harbour']);
  app.emit('second-instance', {}, [], '/home/ann', { words: ['lighthouse'] });
  windows[0]?.focus();
  windows[1]?.focus();
  await soon(async () =>
    expect((await saved()).open).toMatchObject([
      { project: '/home/ann/harbour' },
      { project: '/home/ann/lighthouse' },
    ]),
  );
});

test('a start that comes while the app ends is made up for, and what it asks for counts most', async () => {
  const double = createElectronDouble();
  running = await runBuiltApp(double, { words: ['--ozone-platform=x11', '--new-window'] });
  const window = await soon(() => {
    expect(double.started()).toBe(true);
    return double.windows[0];
  });
  const hide = window?.hide ?? (() => {});
  Object.assign(window ?? {}, {
    hide: () => {
      hide();
      double.app.emit('activate');
      double.app.emit('second-instance', {}, [], '/home/ann', { words: ['harbour'] });
      double.app.emit('second-instance', {}, [], '/home/ann', { words: [] });
    },
  });
  double.app.quit();
  await soon(() => expect(double.app.record.exitCode).toBe(0));
  expect(double.windows).toHaveLength(1);
  const sources = join(import.meta.dirname, '..', '..');
  expect(double.app.record.relaunches).toEqual([
    [sources, '--ozone-platform=x11', '/home/ann/harbour'],
  ]);
});

test('what was open is written down when Windows is about to end, which quits no app', async () => {
  const { windows } = await start(['/home/ann/harbour']);
  expect(existsSync(join(running?.latheHome ?? '', 'windows.json'))).toBe(false);
  windows[0]?.emit('query-session-end', {});
  await soon(async () =>
    expect((await saved()).open).toMatchObject([{ project: '/home/ann/harbour' }]),
  );
});

test('the menu of the dock and the list of the system have the recent folders', async () => {
  const menus: MenuItemConstructorOptions[][] = [];
  const double = createElectronDouble();
  const setMenu = (menu: MenuItemConstructorOptions[]) => menus.push(menu);
  Object.assign(double.app, { dock: { setMenu, bounce: () => 0 } });
  double.app.record.recents.push('/home/ann/long-ago');
  const found = { 'state.json': JSON.stringify({ recents: ['/home/ann/harbour & co'] }) };
  running = await runBuiltApp(double, { found });
  await soon(() =>
    expect(menus.at(-1)?.map(({ label, type }) => label ?? type)).toEqual([
      '/home/ann/harbour && co',
      'separator',
      'New Window',
    ]),
  );
  await soon(() => expect(double.started()).toBe(true));
  // The list that the system itself keeps.
  expect(double.app.record.recents).toEqual(['/home/ann/harbour & co']);
  for (const { click } of menus.at(-1) ?? []) click?.({} as never, undefined, {} as never);
  expect(double.windows).toHaveLength(3);
});

test('a file of windows that cannot be read is a first start', async () => {
  for (const text of ['{', '{"open":[{"project":7}]}']) {
    const { windows } = await start([], { 'windows.json': text });
    expect(windows).toHaveLength(1);
    await running?.stop();
  }
});

/** The state of an app whose user has chosen something. */
const stateWith = (chosen: object) => ({
  'state.json': JSON.stringify({
    preferences: { theme: 'system', zoom: 1, layout: {}, ...chosen },
    ...{ recents: [], connection: 'environment' },
  }),
});

test('the first window has the theme that the user chose', async () => {
  const { windows } = await start([], stateWith({ theme: 'dark' }));
  expect(windows[0]?.options.backgroundColor).toBe('#16171a');
});

test.runIf(process.platform !== 'darwin')(
  'spelling is checked in the languages of the system when it is wanted, and no dictionary is fetched otherwise',
  async () => {
    const plain = await start();
    expect(plain.spelling.flat()).toEqual([]);
    await running?.stop();
    const wanted = await start([], stateWith({ desktop: { spelling: true } }));
    expect(wanted.spelling.at(-1)).toEqual(['de', 'fr']);
    expect(wanted.windows[0]?.options.webPreferences?.spellcheck).toBe(true);
  },
);

test('the tray has an icon when it is wanted, and its menu opens the window', async () => {
  const plain = await start();
  expect(plain.trays).toEqual([]);
  await running?.stop();
  const { trays, windows } = await start([], stateWith({ desktop: { tray: true } }));
  expect(trays).toHaveLength(1);
  expect(existsSync(trays[0]?.image ?? '')).toBe(true);
  expect(trays[0]).toMatchObject({ tip: 'Lathe: nothing runs', destroyed: false });
  windows[0]?.hide();
  const open = trays[0]?.menu.find(({ label }) => label === 'Open Lathe');
  open?.click?.({} as never, undefined, {} as never);
  expect(windows).toHaveLength(1);
  expect(windows[0]?.shown).toBe(true);
  windows[0]?.hide();
  if (windows[0]) windows[0].minimized = true;
  if (process.platform !== 'darwin') trays[0]?.onClick();
  else open?.click?.({} as never, undefined, {} as never);
  expect(windows[0]).toMatchObject({ shown: true, minimized: false });
});

test.runIf(process.platform === 'linux')(
  'a window that is never drawn while hidden, as on Wayland, is shown when its page is loaded',
  async () => {
    const { windows } = await start([], {}, { wayland: true });
    await soon(() => expect(windows[0]?.webContents.loading).toBe(false));
    expect(windows[0]).toMatchObject({ shownOnceLoaded: true, shownEmpty: false });
  },
);

test('elsewhere a window is shown when Electron says that it can be drawn', async () => {
  const { app, windows } = await start();
  const restore = onPlatform('darwin');
  try {
    app.emit('second-instance', {}, [], '/', { words: ['--new-window'] });
    await soon(() => expect(windows[1]?.webContents.loading).toBe(false));
    expect(windows[1]).toMatchObject({ shownOnceLoaded: true, shownEmpty: false });
  } finally {
    restore();
  }
});

test('a packaged app follows links by itself, and offers no developer tools on a right click', async () => {
  const { app, windows, popups } = await start(['/home/ann/harbour'], {}, { packaged: true });
  expect(app.record.protocolClients).toEqual([['lathe']]);
  const editFlags = { canCut: false, canCopy: true, canPaste: false, canSelectAll: true };
  windows[0]?.webContents.emit(
    'context-menu',
    {},
    {
      ...{ isEditable: false, editFlags, misspelledWord: '', selectionText: 'a word' },
      ...{ dictionarySuggestions: [], x: 3, y: 4 },
    },
  );
  expect(popups.map((items) => items.map(({ role }) => role))).toEqual([['copy']]);
});
