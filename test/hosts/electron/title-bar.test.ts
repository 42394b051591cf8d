import type { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createTitleBars,
  overlayOf,
  titleBarOptions,
} from '../../../src/main/hosts/electron/title-bar';
import { onPlatform } from '../../electron-double/double/platform';
import { windowDouble } from '../../electron-double/double/window-double';

/** The system's theme. */
const system = vi.hoisted(() => {
  // Files share modules, and another one may have loaded these with an Electron of its own.
  vi.resetModules();
  return {
    dark: false,
    forced: false,
    changed: () => {},
    listeners: new Set<() => void>(),
  };
});

vi.mock('electron', () => ({
  nativeTheme: {
    get shouldUseDarkColors() {
      return system.dark;
    },
    get inForcedColorsMode() {
      return system.forced;
    },
    on: (_: 'updated', listener: () => void) => system.listeners.add(listener),
  },
  systemPreferences: { getColor: (name: string) => (name === 'window-text' ? '#ffff00ff' : '') },
}));

let restore = () => {};
beforeEach(() => {
  Object.assign(system, { dark: false, forced: false });
  system.listeners.clear();
});
afterEach(() => restore());

const change = (to: Partial<Pick<typeof system, 'dark' | 'forced'>>) => {
  Object.assign(system, to);
  for (const listener of system.listeners) listener();
};

const Window = windowDouble(
  {
    ...{ all: [], focused: null, framesWhileHidden: true },
    ...{ open: async () => null, allClosed() {}, ended: () => false },
  },
  { x: 0, y: 0, width: 1920, height: 1080 },
);

/** Opens a window with a title bar. */
const openWith = (bars: ReturnType<typeof createTitleBars>) => {
  const window = new Window(bars.options());
  bars.follow(window as EventEmitter as BrowserWindow);
  return window;
};

const LIGHT = { color: '#ffffff00', symbolColor: '#1b1c1f' };
const DARK = { color: '#14151700', symbolColor: '#e7e8ea' };

test.each([
  ['light', { dark: false, zoom: 1, forcedText: null }, { ...LIGHT, height: 44 }],
  ['dark', { dark: true, zoom: 1, forcedText: null }, { ...DARK, height: 44 }],
  ['enlarged', { dark: false, zoom: 2, forcedText: null }, { ...LIGHT, height: 88 }],
  ['made smaller', { dark: false, zoom: 0.8, forcedText: null }, { ...LIGHT, height: 35 }],
  [
    'in colours that the system forces',
    { dark: true, zoom: 1, forcedText: '#00ff00' },
    { ...DARK, symbolColor: '#00ff00', height: 44 },
  ],
])('the buttons of a window that is %s', (_, look, overlay) => {
  expect(overlayOf(look)).toEqual(overlay);
});

test('the page is its own title bar, with the buttons of the system over it', () => {
  const look = { dark: false, zoom: 2, forcedText: null };
  // Without the overlay Chromium does not tell where the buttons are. They are 16 px high, in the middle of the row.
  expect(titleBarOptions('darwin', look)).toEqual({
    ...{ titleBarStyle: 'hidden', titleBarOverlay: { height: 44 } },
    trafficLightPosition: { x: 14, y: 14 },
  });
  for (const platform of ['win32', 'linux'] as const)
    expect(titleBarOptions(platform, look)).toEqual({
      ...{ titleBarStyle: 'hidden', titleBarOverlay: overlayOf(look) },
    });
});

test('the buttons follow theme and zoom while their window is open', () => {
  restore = onPlatform('linux');
  const bars = createTitleBars(false, 1.25);
  const [first, second] = [openWith(bars), openWith(bars)];
  expect(first.overlay).toEqual({ ...LIGHT, height: 55 });
  change({ dark: true });
  bars.zoom(2);
  for (const { overlay } of [first, second]) expect(overlay).toEqual({ ...DARK, height: 88 });
  second.destroy();
  change({ dark: false });
  expect(first.overlay).toEqual({ ...LIGHT, height: 88 });
  expect(openWith(bars).overlay).toEqual(first.overlay);
});

test('a window with the title bar of the system is left as it is, where that is wanted', () => {
  restore = onPlatform('win32');
  const bars = createTitleBars(true, 1);
  const window = openWith(bars);
  expect([bars.own, window.overlay, window.hasMenuBar()]).toEqual([false, null, true]);
  expect(() => window.setTitleBarOverlay(LIGHT)).toThrow('Titlebar overlay is not enabled');
  change({ dark: true });
  bars.zoom(2);
  expect(window.overlay).toBeNull();
});

test('macOS has the title bar of the page in any case, and nothing is set on it', () => {
  restore = onPlatform('darwin');
  const bars = createTitleBars(true, 1);
  const window = openWith(bars);
  change({ dark: true });
  bars.zoom(2);
  expect([bars.own, window.overlay]).toEqual([true, { height: 44 }]);
});

test('where Windows forces its colours, the buttons have that of its text', () => {
  restore = onPlatform('win32');
  const bars = createTitleBars(false, 1);
  const window = openWith(bars);
  change({ forced: true });
  expect(window.overlay?.symbolColor).toBe('#ffff00ff');
  restore();
  // Only Windows has the colour to ask for.
  restore = onPlatform('linux');
  expect(createTitleBars(false, 1).options()).toMatchObject({ titleBarOverlay: LIGHT });
});
