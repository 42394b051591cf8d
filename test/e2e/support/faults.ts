import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from '../../support/accessibility';
import { frames } from './picture';

/** Sizes of the page besides the usual one: a narrow window, and 200 % zoom, which halves what there is. CSS pixels. */
const NARROW = { width: 800, height: 800 };
const ZOOMED = { width: 640, height: 400 };

/**
 * Returns what is wrong with the page, or only with `within`, in both themes and at all sizes, best practices too; waits until
 * nothing moves on it.
 */
export async function faults(page: Page, within?: string): Promise<readonly string[]> {
  const area = within === undefined ? {} : { within };
  const usual = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const found = [...(await accessibilityFaults(page, area))];
  // Here too, because a pane that folds in a narrow window would never be seen dark.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const dark = await accessibilityFaults(page, { ...area, contrastOnly: true });
  found.push(...dark.map((fault) => `dark: ${fault}`));
  for (const size of [ZOOMED, NARROW]) {
    await page.setViewportSize(size);
    await frames(page, 2);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) found.push(`at ${size.width} the page is ${wide} px too wide`);
    // Columns that lie over others change what is behind a text; what is within a dialog or menu has the same behind it.
    if (size === NARROW && within !== undefined) continue;
    const look = size === NARROW ? { contrastOnly: true } : { withoutContrast: true };
    const some = await accessibilityFaults(page, { ...area, ...look });
    found.push(...some.map((fault) => `at ${size.width}: ${fault}`));
  }
  if (usual) await page.setViewportSize(usual);
  // A column that comes back takes menus with it that were opened before.
  await frames(page, 3);
  const moving = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .map((one) => ('animationName' in one ? String(one.animationName) : 'transition')),
    );
  await expect.poll(moving).toEqual([]);
  return found;
}
