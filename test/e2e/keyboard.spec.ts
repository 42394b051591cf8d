import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedApi } from '../support/scripted-api';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { KEY } from './support/scripted-app';

test.slow();

test('by keyboard alone: the first run, and back to the prompt from every dialog', async ({
  page,
  lathe,
}) => {
  const folder = join(lathe.home, 'projects', 'harbour');
  await mkdir(folder, { recursive: true });
  const api = await startScriptedApi([], { apiKey: KEY });
  const keys = async (...strokes: readonly string[]) => {
    for (const stroke of strokes) await page.keyboard.press(stroke);
  };
  try {
    const app = new AppPage(page);
    await page.goto(await lathe.link());
    const path = page.getByRole('textbox', { name: 'Path' });
    await expect(path).not.toHaveValue('');
    await keys('Tab');
    await expect(path).toBeFocused();
    await keys('Control+a');
    await page.keyboard.type(folder);
    await keys('Enter');
    const open = page.getByRole('button', { name: 'Open this folder' });
    await expect(page.getByRole('button', { name: 'harbour', exact: true }).last()).toBeVisible();
    await open.press('Enter');
    await expect(page.getByRole('heading', { name: 'Do you trust harbour?' })).toBeFocused();
    await keys('Tab', 'Enter');
    await expect(page.getByRole('heading', { name: 'Connect to a model' })).toBeFocused();
    await keys('Tab');
    await page.keyboard.type(KEY);
    await page.getByRole('button', { name: 'Use another endpoint' }).press('Enter');
    await expect(page.getByLabel('Endpoint')).toBeFocused();
    await page.keyboard.type(api.url);
    await keys('Enter');
    await expect(app.composer).toBeFocused();

    for (const stroke of ['Control+k', 'Control+,', 'Control+/', 'Control+Shift+M']) {
      await keys(stroke);
      await expect(page.getByRole('dialog')).toBeVisible();
      await keys('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await expect(app.composer, stroke).toBeFocused();
    }

    await keys('Control+k');
    await page.keyboard.type('settings');
    await keys('Enter');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await expect(settings).toBeFocused();
    await keys('Escape');
    await expect(settings).toBeHidden();
    await expect(app.composer).toBeFocused();

    await keys('Control+k');
    await page.keyboard.type('find a session');
    await keys('Enter');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await keys('Control+`');
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused();
    await keys('Control+`');
    await expect(app.composer).toBeFocused();
  } finally {
    await api.close();
  }
});
