import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test.slow();

const usage = { input_tokens: 1_000, output_tokens: 100_000 };

test('the limit of a day stops the work, is raised or taken away, and the costs say what for', async ({
  page,
  lathe,
}) => {
  await mkdir(join(lathe.home, '.claude'), { recursive: true });
  await writeFile(
    join(lathe.home, '.claude', 'settings.json'),
    JSON.stringify({ maxDailyBudgetUsd: 1 }),
  );
  const look = () => reply([toolUse('Glob', { pattern: '*.ts' })], { usage });
  const api = await startScriptedApi([look(), look(), look(), reply('No names left.', { usage })], {
    apiKey: KEY,
  });
  try {
    const app = await openScripted(page, lathe, api);
    await app.send('look for the names');
    const stopped = app.conversation.getByText('the limit of a day is $1.00');
    await expect(stopped).toBeVisible();
    expect(api.requests).toHaveLength(1);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

    await app.conversation.getByRole('button', { name: 'Raise it once and continue' }).click();
    const stops = app.conversation.getByText('the limit of a day is');
    await expect(stops).toHaveCount(2);

    await app.composer.fill('/cost');
    await app.composer.press('Enter');
    const costs = page.getByRole('dialog', { name: 'Costs' });
    await expect(costs).toContainText('raised by');
    await expect(costs.getByRole('tab', { name: 'Sessions' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await expect(costs).toContainText('look for the names');
    await costs.getByRole('tab', { name: 'Uses' }).click();
    await expect(costs).toContainText('Answers');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.keyboard.press('Escape');

    await app.conversation.getByRole('button', { name: 'No limit in this session' }).last().click();
    await expect(app.conversation).toContainText('No names left.');
  } finally {
    await api.close();
  }
});
