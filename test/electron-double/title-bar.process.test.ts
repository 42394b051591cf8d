import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startChromium } from '../support/chromium';
import { soon } from '../support/soon';
import { createElectronDouble } from './double/electron-double';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let browser: Browser;
let running: RunningApp | null = null;
beforeAll(async () => {
  browser = await startChromium();
});
afterEach(async () => {
  await running?.stop();
  running = null;
});
afterAll(() => browser?.close());

/** Starts the app with what its user chose, and waits for the page of its first window. */
async function start(chosen: object) {
  const double = createElectronDouble({
    context: await browser.newContext({ reducedMotion: 'reduce' }),
  });
  const preferences = { theme: 'light', zoom: 1, layout: {}, ...chosen };
  const state = { preferences, recents: [], connection: 'environment' };
  running = await runBuiltApp(double, { found: { 'state.json': JSON.stringify(state) } });
  await soon(() => expect(double.started()).toBe(true));
  const [window] = double.windows;
  if (window === undefined) throw new Error('No window');
  const page = await soon((): Page => {
    if (window.page === null) throw new Error('No page yet');
    return window.page;
  });
  await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
  return { double, window, page };
}

const other = process.platform !== 'darwin';

test.runIf(other)(
  'the page has the menu of its window, below its button, on a click, Alt and F10',
  async () => {
    const { double, window, page } = await start({});
    expect(window.hasMenuBar()).toBe(false);
    const button = page.getByRole('button', { name: 'Menu', exact: true });
    const box = await button.boundingBox();
    const below = {
      window,
      x: Math.round(box?.x ?? 0),
      y: Math.round((box?.y ?? 0) + (box?.height ?? 0)),
    };
    const opened = async (acts: () => Promise<void>) => {
      const before = double.popups.length;
      await acts();
      await soon(() => expect(double.popups).toHaveLength(before + 1));
      expect(double.popups.at(-1)).toBe(double.menu());
      expect(double.popupPlaces.at(-1)).toEqual(below);
    };
    await opened(() => button.click());
    await opened(() => page.keyboard.press('Alt'));
    await opened(() => page.keyboard.press('F10'));
  },
);

test.runIf(other)(
  'the buttons of a window follow the zoom and the theme that its user chooses',
  async () => {
    const { double, window } = await start({ zoom: 1.5 });
    expect(window.overlay).toMatchObject({ height: 66, symbolColor: '#1b1c1f' });
    const item = (wanted: string) =>
      double
        .menu()
        .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
        .find(({ label }) => label === wanted);
    item('Actual Size')?.click?.({} as never, undefined, {} as never);
    await soon(() => expect(window.overlay?.height).toBe(44));
    double.electron.nativeTheme.themeSource = 'dark';
    await soon(() => expect(window.overlay?.symbolColor).toBe('#e7e8ea'));
  },
);

test.runIf(other)(
  'the system has its own title bar where that is wanted, and the page no menu',
  async () => {
    const { double, window, page } = await start({ desktop: { systemTitleBar: true } });
    expect(window.hasMenuBar()).toBe(true);
    expect(window.options.titleBarStyle).toBeUndefined();
    expect(await page.getByRole('button', { name: 'Menu', exact: true }).count()).toBe(0);
    // Nothing is set on a window that would refuse it.
    double.electron.nativeTheme.themeSource = 'dark';
    await page.keyboard.press('Alt');
    await page.keyboard.press('F10');
    await new Promise((resolve) => setImmediate(resolve));
    expect([double.popups, double.errors]).toEqual([[], []]);
  },
);
