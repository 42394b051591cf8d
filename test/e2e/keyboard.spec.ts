import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedApi } from '../support/scripted-api';
import { hold, reply, text, toolUse } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { gate, KEY } from './support/scripted-app';

test.slow();

test('by keyboard alone: a working day, from the first run to the settings', async ({
  page,
  lathe,
}) => {
  const folder = join(lathe.home, 'projects', 'harbour');
  await mkdir(folder, { recursive: true });
  const running = gate();
  const api = await startScriptedApi(
    [
      reply([toolUse('Bash', { command: 'echo high > tide.txt' })]),
      reply([toolUse('Bash', { command: 'rm tide.txt' })]),
      reply('Then it stays.'),
      reply([text('Looking at the tide.'), hold(running.opened), text('Never seen.')]),
      reply('Looked at the wind instead.'),
    ],
    { apiKey: KEY },
  );
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

    await page.keyboard.type('note the tide');
    await keys('Enter');
    await app.allowOnce('echo high');
    await app.deny('rm tide.txt', 'it is needed');
    await expect(app.conversation).toContainText('Then it stays.');
    expect(JSON.stringify(api.requests)).toContain('it is needed');
    await expect(app.composer).toBeFocused();

    await page.keyboard.type('look at the tide');
    await keys('Enter');
    await expect(app.conversation).toContainText('Looking at the tide.');
    await page.keyboard.type('then the rest');
    await keys('Enter');
    await expect(page.getByRole('list', { name: 'Queued prompts' })).toContainText('then the rest');
    await page.keyboard.type('the wind first');
    await keys('Control+Enter');
    await expect(app.conversation).toContainText('Looked at the wind instead.');
    await expect(page.getByRole('list', { name: 'Queued prompts' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();

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
    await page.keyboard.type('tide');
    await keys('ArrowDown');
    await expect(app.sessions.getByRole('button', { name: /tide/ }).first()).toBeFocused();
    await keys('Enter');
    await expect(app.composer).toBeFocused();
    await keys('Control+`');
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused();
    await keys('Control+`');
    await expect(app.composer).toBeFocused();
  } finally {
    await api.close();
  }
});
