import { afterAll, beforeAll, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('where the system chooses the colours, what is drawn as a plain area is there, too', async () => {
  const page = await screen.open('busy', { forcedColors: 'active' });
  const status = page.getByRole('contentinfo', { name: 'Status' });
  const meter = status.getByRole('meter', { includeHidden: true });
  await see(status.getByText('connected')).toBeVisible();
  const text = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'CanvasText';
    const { backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return backgroundColor;
  });
  const connected = status.getByText('connected').locator('..').locator('> [aria-hidden]');
  for (const drawn of [connected, meter.locator('> span')])
    await see(drawn).toHaveCSS('background-color', text);
  await see(meter).toHaveCSS('outline-style', 'solid');
});
