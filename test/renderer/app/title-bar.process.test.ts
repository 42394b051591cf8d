import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppInfo } from '../../../src/shared/contract';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

const MAC = { host: 'electron', platform: 'darwin', ownTitleBar: true } as const;
const LINUX = { host: 'electron', platform: 'linux', ownTitleBar: true } as const;
const menuOf = (page: Page) => page.getByRole('button', { name: 'Menu', exact: true });

/** Opens the page as a window of the desktop app, with its folder open. */
async function openWindow(info: Partial<AppInfo>, width = 1280): Promise<Page> {
  const page = await screen.open('busy', { viewport: { width, height: 800 } }, info);
  await see(page.getByRole('textbox', { name: 'Message to Lathe' })).toBeVisible();
  return page;
}

/** Returns which parts of the top row at the left move the window: the row itself, and its first button. */
const regions = (page: Page) =>
  page
    .locator('[data-title-row="start"]')
    .first()
    .evaluate((row) => {
      const region = (element: Element | null) =>
        element && getComputedStyle(element).getPropertyValue('app-region');
      return [region(row), region(row.querySelector('button'))];
    });

test.each([
  ['the desktop app on macOS', MAC, ['drag', 'no-drag'], 0],
  ['the desktop app on Linux', LINUX, ['drag', 'no-drag'], 1],
  ['the desktop app on Windows', { ...LINUX, platform: 'win32' }, ['drag', 'no-drag'], 1],
  // What the system's own bar moves needs nothing else that does.
  ['a window with a bar of the system', { ...LINUX, ownTitleBar: false }, ['none', 'no-drag'], 0],
  // In a browser there is no window to move.
  ['a browser', { host: 'web', platform: 'linux' }, ['none', 'no-drag'], 0],
] as const)(
  'the top row of %s moves the window, and has its menu',
  async (_, info, moves, menus) => {
    const page = await openWindow(info);
    expect(await regions(page)).toEqual(moves);
    expect(await menuOf(page).count()).toBe(menus);
    const strips = page.locator('[data-title-row~="own"]').filter({ visible: true });
    expect(await strips.count()).toBe(menus);
  },
);

describe('with the buttons of the system over the page', () => {
  /** The widths of what they take at either end. Pixels of the window. */
  const BUTTONS = { start: 40, end: 138 };
  const place = (page: Page) =>
    page.addStyleTag({
      content: `:root { --buttons-start: ${BUTTONS.start}px; --buttons-end: ${BUTTONS.end}px; }`,
    });

  const zoomTo = async (page: Page, zoom: number) => {
    const { preferences } = screen.host.engine().app();
    screen.host.engine().setApp({ preferences: { ...preferences, zoom } });
    await see.poll(() => page.evaluate(() => document.documentElement.style.zoom)).toBe(`${zoom}`);
  };

  /** Returns the texts and controls that are drawn under the buttons; the row is 44 px high, and grows with the zoom. */
  const covered = (page: Page, zoom: number) =>
    page.evaluate(
      ({ start, end, bottom }) => {
        const found = new Set<string>();
        const look = (x: number, y: number) => {
          const part = document
            .elementFromPoint(x, y)
            ?.closest('button, a, input, [role=tab], h1, h2, p, li, span');
          if (part) found.add(part.getAttribute('aria-label') ?? part.textContent ?? '');
        };
        for (let y = 2; y < bottom - 2; y += 4) {
          for (let x = 1; x < start; x += 4) look(x, y);
          for (let x = innerWidth - end + 1; x < innerWidth; x += 4) look(x, y);
        }
        return [...found];
      },
      { ...BUTTONS, bottom: 44 * zoom },
    );

  test('nothing lies under them, whichever columns are open, at any width and zoom', async () => {
    const page = await openWindow(LINUX);
    await place(page);
    const isClear = async (zoom: number) => {
      await see.poll(() => covered(page, zoom)).toEqual([]);
      const box = await menuOf(page).boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(BUTTONS.start);
      expect(box?.x).toBeLessThan(BUTTONS.start + 16 * zoom);
    };
    await isClear(1);
    await zoomTo(page, 0.8);
    await isClear(0.8);
    await page.setViewportSize({ width: 1920, height: 800 });
    await zoomTo(page, 1.5);
    await isClear(1.5);
    await page.getByRole('button', { name: 'Hide the sessions' }).click();
    await isClear(1.5);
    await page.getByRole('button', { name: 'Hide the dock' }).click();
    await isClear(1.5);
    await zoomTo(page, 1);
    await page.setViewportSize({ width: 800, height: 800 });
    await isClear(1);
    await zoomTo(page, 2);
    await isClear(2);
  });

  test('nothing lies under them before a folder is open, at 200 % either', async () => {
    const page = await screen.open('fresh', { viewport: { width: 800, height: 600 } }, LINUX);
    await see(menuOf(page)).toBeVisible();
    await place(page);
    expect(await covered(page, 1)).toEqual([]);
    await zoomTo(page, 2);
    await see.poll(() => covered(page, 2)).toEqual([]);
  });

  test('names, roles and contrast of the row are in order, in both themes and at 200 %', async () => {
    const page = await openWindow(LINUX, 800);
    await place(page);
    for (const zoom of [1, 2]) {
      await zoomTo(page, zoom);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityFaults(page)).toEqual([]);
      }
    }
  });

  test('nothing lies under them over a terminal that fills the window', async () => {
    const page = await openWindow(LINUX);
    await place(page);
    await page.locator('.xterm textarea').first().focus();
    await page.keyboard.press('Control+Shift+X');
    await see(page.locator('[data-over-title-rows]')).toBeVisible();
    const tops = () =>
      page
        .locator('[data-over-title-rows] [role=tab]')
        .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top));
    await see.poll(async () => Math.min(...(await tops()))).toBeGreaterThanOrEqual(44);
  });
});

test('the menu opens below its button at any zoom, on a click, Alt alone and F10', async () => {
  const page = await openWindow(LINUX);
  const engine = screen.host.engine();
  const asked = () => engine.calls.filter(({ path }) => path === 'app.openMenu');
  const { preferences } = engine.app();
  let count = 0;
  for (const zoom of [1, 2]) {
    engine.setApp({ preferences: { ...preferences, zoom } });
    await see.poll(() => page.evaluate(() => document.documentElement.style.zoom)).toBe(`${zoom}`);
    const box = await menuOf(page).boundingBox();
    for (const act of ['click', 'Alt', 'F10']) {
      if (act === 'click') await menuOf(page).click();
      else await page.keyboard.press(act);
      count += 1;
      await see.poll(() => asked().length).toBe(count);
      expect(asked().at(-1)?.input).toEqual({
        x: Math.round(box?.x ?? 0),
        y: Math.round((box?.y ?? 0) + (box?.height ?? 0)),
      });
    }
  }
});

test('keys that are not for the menu leave it shut', async () => {
  const page = await openWindow(LINUX);
  const engine = screen.host.engine();
  const asked = () => engine.calls.filter(({ path }) => path === 'app.openMenu').length;
  for (const keys of ['Alt+1', 'Control+Alt', 'Alt+Shift', 'Shift+F10', 'Control+F10'])
    await page.keyboard.press(keys);
  // Alt held while the mouse works, and while another window takes over.
  await page.keyboard.down('Alt');
  await page.mouse.click(640, 400);
  await page.keyboard.up('Alt');
  await page.keyboard.down('Alt');
  await page.evaluate(() => window.dispatchEvent(new Event('blur')));
  await page.keyboard.up('Alt');
  // A program in a terminal has F10 for itself.
  await page.locator('.xterm textarea').first().focus();
  await page.keyboard.press('F10');
  expect(asked()).toBe(0);
  // One on Alt comes after all of them.
  await page.keyboard.press('Alt');
  await see.poll(asked).toBe(1);
});

test('what opens over the rows can be clicked', async () => {
  const page = await openWindow(LINUX);
  await page.keyboard.press('Control+,');
  const dialog = page.getByRole('dialog');
  await see(dialog).toBeVisible();
  const region = await dialog.evaluate((it) => getComputedStyle(it).getPropertyValue('app-region'));
  expect(region).toBe('no-drag');
});
