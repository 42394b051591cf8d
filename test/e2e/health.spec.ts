import { accessibilityFaults } from '../support/accessibility';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

test('the page of health shows what Lathe uses and depends on, and reloads the window', async ({
  page,
  lathe,
}) => {
  await played({ page, lathe }, [reply('Hello.')], async (app) => {
    await app.send('say hello');
    await expect(app.conversation).toContainText('Hello.');
    await app.composer.fill('/health');
    await app.composer.press('Enter');
    const health = page.getByRole('dialog', { name: 'Health' });
    await expect(health.getByRole('region', { name: 'Process' })).toContainText('MB');
    await expect(health.getByRole('region', { name: 'Sessions in memory' })).toContainText(
      'say hello',
    );
    await expect(health.getByRole('region', { name: 'Examination' })).toContainText('node-pty');
    // The second look knows how long the first pause was.
    await expect(health.getByText('Longest pause').locator('..')).toContainText(/\d ms|\d s/);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.keyboard.press('Escape');

    await app.composer.fill('half a thought');
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Health of');
    await page.keyboard.press('Enter');
    await health.getByRole('button', { name: 'Reload this window' }).click();
    await expect(app.conversation).toContainText('Hello.');
    await expect(app.composer).toHaveValue('half a thought');
    await expect(health).toBeHidden();
  });
});
