import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('what an input method composes reaches the program once, when it is done', async () => {
  const page = await screen.open('busy');
  await page.getByRole('button', { name: 'New terminal', exact: true }).click();
  await see(page.getByRole('tab', { name: /^shell \d/ })).toHaveAttribute('aria-selected', 'true');
  const field = page.locator('.xterm-helper-textarea');
  await field.focus();
  await see(field).toBeFocused();
  const before = screen.host.typed().length;
  const keys = await page.context().newCDPSession(page);
  for (const text of ['に', 'にほ', 'にほん', '日本'])
    await keys.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });
  expect(screen.host.typed().slice(before)).toBe('');
  const composed = page.locator('.composition-view.active');
  await see(composed).toHaveText('日本');
  const ink = await page
    .locator('.xterm-rows')
    .evaluate((element) => getComputedStyle(element).color);
  await see(composed).toHaveCSS('color', ink);
  await keys.send('Input.insertText', { text: '日本' });
  await expect.poll(() => screen.host.typed().slice(before)).toBe('日本');
  await page.keyboard.type('x');
  await expect.poll(() => screen.host.typed().slice(before)).toBe('日本x');
});
