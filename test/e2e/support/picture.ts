import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';

const PICTURES = join(import.meta.dirname, '../../../docs/screenshots');

/** Takes a picture under a name. */
export type Shoot = (name: string) => Promise<void>;

/** A page as the pictures of the documents show it. */
export async function picturePage(browser: Browser, scheme: 'light' | 'dark') {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width: 1440, height: 900 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const shoot: Shoot = (name) => picture(page, `${name}-${scheme}`);
  return { page, shoot, close: () => context.close() };
}

/** Takes a picture once fonts are there and nothing moves. */
async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.screenshot({
    path: join(PICTURES, `${name}.png`),
    animations: 'disabled',
    caret: 'hide',
  });
}
