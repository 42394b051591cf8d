import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('a search in a terminal counts its matches, with case and regular expressions', async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'npm run dev' }).click();
  await page.getByRole('button', { name: 'Find in this terminal' }).click();
  const bar = page.getByRole('search');
  const field = bar.getByRole('textbox', { name: 'Find in this terminal' });
  const status = bar.getByRole('status');
  await see(field).toBeFocused();
  await field.fill('vite');
  await see(status).toHaveText(/^\d of 3$/);
  const first = await status.textContent();
  await page.keyboard.press('Enter');
  await see(status).not.toHaveText(first ?? '');
  await page.keyboard.press('Shift+Enter');
  await see(status).toHaveText(first ?? '');
  // What was found is never behind the field, at whichever end of the screen it stands.
  const active = page.locator('.xterm-selection > div').first();
  for (const _ of [1, 2, 3]) {
    await page.keyboard.press('Enter');
    await see
      .poll(async () => {
        const [over, found] = [await bar.boundingBox(), await active.boundingBox()];
        return (
          over && found && (found.y >= over.y + over.height || found.y + found.height <= over.y)
        );
      })
      .toBe(true);
  }
  await see(status).toHaveText(first ?? '');
  await bar.getByRole('button', { name: 'Match case' }).click();
  await see(status).toHaveText(/^\d of 2$/);
  await bar.getByRole('button', { name: 'Regular expression' }).click();
  await field.fill('10:41:0[79]');
  await see(status).toHaveText(/^\d of 2$/);
  await field.fill('10:41:0[');
  await see(status).toHaveText('not a pattern');
  await field.fill('nowhere');
  await see(status).toHaveText('not found');
  expect(await accessibilityFaults(page, { within: 'search' })).toEqual([]);
  await page.keyboard.press('Escape');
  await see(bar).toHaveCount(0);

  // The key for all sessions is that of a terminal while one is typed into.
  const typed = page.locator('.xterm-helper-textarea');
  await see(typed).toBeFocused();
  await page.keyboard.press('Control+Shift+F');
  await see(field).toBeFocused();
  await field.fill('vite');
  await see(status).toHaveText(/^\d of 3$/);
  await typed.focus();
  await page.keyboard.press('Control+Shift+F');
  await see(field).toBeFocused();
  await page.keyboard.type('nowhere');
  await see(status).toHaveText('not found');
  await page.keyboard.press('Escape');
  await see(bar).toHaveCount(0);

  // In a narrow pane the field has room, and so have its buttons.
  await page.keyboard.press('Control+Shift+O');
  const pane = page.locator('section[aria-label^="Pane "]').first();
  await see.poll(async () => (await pane.boundingBox())?.width).toBeLessThan(250);
  await pane.getByRole('button', { name: 'Find in this terminal' }).click();
  await field.fill('vite');
  await see(status).toHaveText(/^\d of 3$/);
  const outer = await pane.boundingBox();
  for (const part of [field, bar.getByRole('button', { name: 'Close the search' })]) {
    const inner = await part.boundingBox();
    expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? Number.NaN);
    expect(inner?.width).toBeGreaterThan(20);
    expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual(
      (outer?.x ?? 0) + (outer?.width ?? 0),
    );
  }

  // A search goes with its pane: with that it comes back neither empty nor taking the focus.
  const wide = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 640, height: wide.height });
  await see(pane).toHaveCount(0);
  await page.setViewportSize(wide);
  await see(pane.getByRole('button', { name: 'Find in this terminal' })).toBeVisible();
  expect(await bar.count()).toBe(0);
  expect(screen.errors).toEqual([]);
});

test("the keys of a terminal reach the shell in front after another session's command was looked at", async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'npm run dev' }).click();
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('First look round').click();
  await see(page.getByRole('tab', { name: 'npm run dev' })).toHaveCount(0);
  await see(page.getByRole('region', { name: 'Terminal zsh' })).toBeVisible();
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.press('Control+Shift+F');
  await see(page.getByRole('textbox', { name: 'Find in this terminal' })).toBeFocused();
  expect(screen.errors).toEqual([]);
});

test('the keys of a terminal reach the one beside a chosen one that was closed', async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'vitest' }).click();
  await page.getByRole('button', { name: 'Close vitest' }).click();
  await see(page.getByRole('tab', { name: 'vitest' })).toHaveCount(0);
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.press('Control+Shift+F');
  await see(page.getByRole('textbox', { name: 'Find in this terminal' })).toBeFocused();
});
