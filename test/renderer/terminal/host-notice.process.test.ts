import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('a terminal host that hangs or was lost is told, and started again by a button', async () => {
  const page = await screen.open('busy');
  const notice = page.getByRole('region', { name: 'Terminal host' });
  await see(page.getByRole('region', { name: 'Terminals' })).toBeVisible();
  await see(notice).toHaveCount(0);
  screen.host.engine().setApp({ terminalHost: 'hung' });
  await see(notice).toContainText('The terminal host does not answer.');
  expect(
    await accessibilityFaults(page, { within: 'section[aria-label="Terminal host"]' }),
  ).toEqual([]);
  await notice.getByRole('button', { name: 'Restart the terminal host' }).click();
  await see(notice).toHaveCount(0);
  screen.host.engine().setApp({ terminalHost: 'other_hung' });
  await see(notice).toContainText('of another version of Lathe does not answer.');
  await notice.getByRole('button', { name: 'End that terminal host' }).click();
  await see(notice).toHaveCount(0);
  screen.host.engine().setApp({ terminalHost: 'lost' });
  await see(notice).toContainText('The terminal host is gone.');
});
