import { startScriptedApi } from '../support/scripted-api';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { gate, KEY, openScripted } from './support/scripted-app';

test.slow();

test('sessions get their titles from the small model, unless a user gives one or switches it off', async ({
  page,
  lathe,
}) => {
  const named = gate();
  const late = async () => {
    await named.opened;
    return reply('Move the tugs');
  };
  const usage = { input_tokens: 200, output_tokens: 5 };
  const api = await startScriptedApi(
    ['Lit.', 'Moved.', 'Painted.', 'And dried.'].map((text) => reply(text)),
    {
      apiKey: KEY,
      titles: (_, number) => (number === 0 ? reply('“Mend the lights.”', { usage }) : late()),
    },
  );
  try {
    const app = await openScripted(page, lathe, api);
    const row = (title: string) => app.sessions.getByRole('button', { name: title, exact: true });
    await app.send('the harbour is dark, see to it');
    await expect(row('Mend the lights')).toBeVisible();
    await expect(row('the harbour is dark, see to it')).toBeHidden();

    await page.keyboard.press('Alt+n');
    await app.send('see to the tugs');
    await expect(app.conversation).toContainText('Moved.');
    await expect.poll(() => api.titleRequests.length).toBe(2);
    await app.sessions.getByRole('button', { name: 'More for see to the tugs' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    const rename = page.getByRole('dialog', { name: /Rename/ });
    await rename.getByRole('textbox').fill('Tugs');
    await page.keyboard.press('Enter');
    await expect(row('Tugs')).toBeVisible();
    named.open();

    await page.keyboard.press('Control+,');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('tab', { name: 'Models' }).click();
    const titles = settings.getByRole('switch', { name: /^Titles by the small model/ });
    await expect(titles).toBeChecked();
    await titles.click();
    await expect(titles).not.toBeChecked();
    await settings.getByRole('button', { name: 'Close' }).click();
    await expect(settings).toBeHidden();

    await page.keyboard.press('Alt+n');
    await app.send('paint the buoys');
    await expect(app.conversation).toContainText('Painted.');
    await app.send('dry them');
    await expect(app.conversation).toContainText('And dried.');
    for (const title of ['Mend the lights', 'Tugs', 'paint the buoys'])
      await expect(row(title)).toBeVisible();
    expect(api.titleRequests).toHaveLength(2);

    await app.send('/cost');
    const costs = page.getByRole('dialog', { name: 'Costs' });
    await costs.getByRole('tab', { name: 'Uses' }).click();
    await expect(costs).toContainText('Titles of sessions');
    expect(api.refusals).toEqual([]);
  } finally {
    named.open();
    await api.close();
  }
});
