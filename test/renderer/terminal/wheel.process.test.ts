import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('the wheel is offered for a secret, taken in all windows, and the secret is masked', async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'npm run dev' }).click();
  const terminals = () => screen.host.engine().app().terminals;
  screen.host.engine().setApp({
    terminals: terminals().map((t) => (t.id === 't1' ? { ...t, secret: true } : t)),
  });
  const line = page.getByRole('region', { name: 'Secret' });
  await see(line).toContainText('It asks for a secret.');
  expect(await accessibilityFaults(page, { within: 'section[aria-label="Secret"]' })).toEqual([]);
  await line.getByRole('button', { name: 'Take the wheel' }).click();
  const field = line.getByLabel('Secret for the program');
  await see(field).toBeFocused();
  await see(field).toHaveAttribute('type', 'password');
  await see(page.getByRole('button', { name: 'Hand back' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await field.fill('hunter2');
  await page.keyboard.press('Enter');
  await see(field).toHaveValue('');
  expect(await page.content()).not.toContain('hunter2');
  await page.getByRole('button', { name: 'Hand back' }).click();
  await see(line).toContainText('It asks for a secret.');
  screen.host.engine().setApp({
    terminals: terminals().map((t) => (t.id === 't1' ? { ...t, secret: false } : t)),
  });
  await see(line).toHaveCount(0);
});
