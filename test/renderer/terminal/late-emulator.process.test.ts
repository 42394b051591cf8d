import type { Page, Route } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

/** The file with the emulator, which the first screen does not wait for. */
const EMULATOR = /\/live-terminal-[^/]*\.js$/;

/** Opens the page anew with an emulator that comes as `answer` lets it. */
async function reloadWith(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route(EMULATOR, answer);
  await page.reload();
}

test('a terminal whose emulator comes late shows everything, and has the focus that it was given', async () => {
  const page = await screen.open('busy');
  const late = Promise.withResolvers<void>();
  await reloadWith(page, async (route) => {
    await late.promise;
    await route.continue();
  });
  const pane = page.getByRole('region', { name: 'Pane 1' });
  await see(pane.getByRole('status').getByText('loading')).toBeVisible();
  const composer = page.getByRole('textbox', { name: /message/i });
  await composer.fill('typed meanwhile');
  await page.getByRole('tab', { name: 'npm run dev' }).click();
  await page.keyboard.press('Control+`');
  await see(pane.locator('.xterm')).toHaveCount(0);
  late.resolve();
  await see(pane.locator('.xterm-rows')).toContainText('page reload');
  await see(pane.locator('.xterm-helper-textarea')).toBeFocused();
  await see(composer).toHaveValue('typed meanwhile');
  await page.close();
});

test('a reload waits for no word of the host to fetch what showed a terminal and to open its channel', async () => {
  const page = await screen.open('busy');
  await see(page.locator('.xterm-rows').first()).toBeVisible();
  await page.routeWebSocket(/\/rpc$/, () => {});
  const channel = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/terminals$/, () => channel.resolve());
  const emulator = page.waitForRequest(EMULATOR);
  await page.reload();
  await emulator;
  await channel.promise;
  await see(page.getByRole('status').getByText('Connecting to Lathe')).toBeVisible();
  await page.close();
});

test('an emulator that cannot be loaded is told, with the way out', async () => {
  const page = await screen.open('busy');
  // Each pane that appears tries anew, so it stays broken until the window is loaded again.
  let visits = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) visits += 1;
  });
  await reloadWith(page, (route) => (visits < 2 ? route.abort() : route.continue()));
  const told = page.getByRole('alert').filter({ hasText: 'Terminals could not be loaded' });
  await see(told).toBeVisible();
  expect(await accessibilityFaults(page, { within: 'section[aria-label="Terminals"]' })).toEqual(
    [],
  );
  await told.getByRole('button', { name: 'Reload' }).click();
  await see(page.locator('.xterm-rows').first()).toBeVisible();
  await see(told).toHaveCount(0);
  await page.close();
});
