import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('tabs show what rang, what is unread, titles of programs, and take names', async () => {
  const page = await screen.open('busy');
  const { engine } = screen.host;
  const tabs = page.getByRole('tablist', { name: 'Terminals' });
  await tabs.getByRole('tab', { name: 'npm run dev' }).click();
  engine().setApp({
    terminals: engine()
      .app()
      .terminals.map((t) =>
        t.id === 't3' ? { ...t, programTitle: 'vim notes.md', bell: true } : { ...t, unread: true },
      ),
  });
  await see(tabs.getByRole('tab', { name: 'vim notes.md rang' })).toBeVisible();
  await see(tabs.getByRole('tab', { name: 'vitest has new output' })).toBeVisible();
  expect(
    await accessibilityFaults(page, {
      within: 'section[aria-label="Terminals"]',
      without: '.xterm',
    }),
  ).toEqual([]);
  await tabs.getByRole('tab', { name: 'vim notes.md' }).focus();
  await page.keyboard.press('F2');
  const field = tabs.getByRole('textbox', { name: 'Name of the terminal' });
  await see(field).toHaveValue('vim notes.md');
  await field.fill('notes');
  await page.keyboard.press('Enter');
  const named = tabs.getByRole('tab', { name: 'notes rang', exact: true });
  await see(named).toBeFocused();
  await named.dblclick();
  await field.fill('never');
  await page.keyboard.press('Escape');
  await see(named).toBeVisible();
  await named.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await field.fill('');
  await page.keyboard.press('Enter');
  await see(tabs.getByRole('tab', { name: 'vim notes.md' })).toBeVisible();
  expect(screen.errors).toEqual([]);
});

test('a terminal that has ended stays until it is closed, and runs again in its place', async () => {
  const page = await screen.open('busy');
  const tabs = page.getByRole('tablist', { name: 'Terminals' });
  const ended = tabs.getByRole('tab', { name: 'vitest' });
  await ended.click();
  await see(page.getByText('exited with code 1')).toBeVisible();
  await page.getByRole('button', { name: 'Run vitest again' }).click();
  await see(page.getByText('exited with code 1')).toHaveCount(0);
  await see(tabs.getByRole('tab', { name: 'vitest' })).toHaveAttribute('aria-selected', 'true');
});
