import { A_WHILE, AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

test('a profile is added in the settings, and opens its program with its arguments and environment', async ({
  page,
  lathe,
}) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.composer.focus();
  await page.keyboard.press('ControlOrMeta+,');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await settings.getByRole('tab', { name: 'Terminal' }).click();
  await settings.getByRole('button', { name: 'Add a profile' }).click();
  const form = settings.getByRole('form', { name: 'New profile' });
  await form.getByRole('button', { name: 'Save the profile' }).click();
  await expect(form).toContainText('Give it a name.');
  await form.getByLabel('Name').fill('Greeter');
  await form.getByLabel('Program').fill('sh');
  await form.getByLabel('Arguments').fill(`-c 'echo "$GREETING, $((20 + 1))"; exec cat'`);
  await form.getByLabel('Environment').fill("GREETING='good day'");
  await form.getByLabel('Environment').press('Enter');
  await expect(settings.getByRole('button', { name: 'Change Greeter' })).toBeVisible();
  await page.keyboard.press('Escape');

  await app.openShell();
  const more = app.terminals.getByRole('button', { name: 'New terminal with a profile' });
  await more.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Greeter' }).press('Enter');
  await expect.poll(() => app.screenText(), A_WHILE).toContain('good day, 21');
  await expect(app.terminals.getByRole('tab', { name: /Greeter/ })).toBeVisible();
});
