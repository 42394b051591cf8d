import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

/** Returns which parts of the top row at the left move the window: the row itself, and its first button. */
const regions = (page: Page) =>
  page.locator('[data-title-bar="first"]').evaluate((row) => {
    const region = (element: Element | null) =>
      element && getComputedStyle(element).getPropertyValue('app-region');
    return [region(row), region(row.querySelector('button'))];
  });

test.each([
  ['electron', 'darwin', ['drag', 'no-drag']],
  ['electron', 'linux', ['none', 'none']],
  ['electron', 'win32', ['none', 'none']],
  // In a browser there is no window to move.
  ['web', 'darwin', ['none', 'none']],
] as const)('the top row of %s on %s moves the window: %j', async (host, platform, expected) => {
  const page = await screen.open('busy', {}, { host, platform });
  await see(page.getByRole('textbox', { name: 'Message to Lathe' })).toBeVisible();
  expect(await regions(page)).toEqual(expected);
  await page.context().close();
});
