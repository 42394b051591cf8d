import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';

const ROOT = join(import.meta.dirname, '../../..');
const PICTURES = join(ROOT, 'docs/screenshots');
const SIZE = { width: 1440, height: 900 };

/** Where `LATHE_PICTURE_WIDTHS` (`1024,800,390`) wants each picture in other widths too, to be looked at and not kept. */
const OTHERS = join(ROOT, 'test-results/pictures');
const OTHER_WIDTHS = (process.env['LATHE_PICTURE_WIDTHS'] ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number);

/** An outer column, which lies over the conversation in a narrow window, and is closed there at first. */
type Column = 'sessions' | 'dock';

/**
 * Takes a picture under a name. `column`: the one that it is about, which is opened where the window is narrow. `again`:
 * what makes the column show what the picture is about, after it was closed.
 */
export type Shoot = (name: string, column?: Column, again?: () => Promise<void>) => Promise<void>;

/** A page as the pictures of the documents show it. */
export async function picturePage(browser: Browser, scheme: 'light' | 'dark') {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: SIZE,
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const shoot: Shoot = async (name, column, again) => {
    await picture(page, join(PICTURES, `${name}-${scheme}.png`));
    for (const width of OTHER_WIDTHS) {
      await page.setViewportSize({ ...SIZE, width });
      await frames(page, 3);
      const closed = page.getByRole('button', { name: `Show the ${column}`, exact: true });
      if (column !== undefined && (await closed.isVisible())) {
        await closed.click();
        await again?.();
      }
      await page.getByText(/^Comparing/).waitFor({ state: 'hidden' });
      await picture(page, join(OTHERS, `${name}-${scheme}-${width}.png`));
    }
    if (OTHER_WIDTHS.length > 0) await page.setViewportSize(SIZE);
  };
  return { page, shoot, close: () => context.close() };
}

/** Waits for so many frames: what follows the size of the window does so after one or two. */
export const frames = (page: Page, count: number): Promise<void> =>
  page.evaluate(async (wanted) => {
    for (let drawn = 0; drawn < wanted; drawn += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);

/** Takes a picture once fonts are there and nothing moves. */
async function picture(page: Page, path: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  // A menu or panel is somewhere else in its first frame.
  await frames(page, 3);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
}
