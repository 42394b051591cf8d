import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { A_WHILE } from './support/app-page';
import { expect, startLathe, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test('Lathe is quit from its page: what would end is named, and shells that are kept are found again', async ({
  page,
  home,
}) => {
  test.slow();
  const api = await startScriptedApi([], { apiKey: KEY });
  const first = await startLathe(home);
  const question = page.getByRole('dialog', { name: 'Quit Lathe while work is going on?' });
  const ask = async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('quit lathe');
    await page.keyboard.press('Enter');
  };
  try {
    const app = await openScripted(page, first, api);
    await ask();
    await expect(page.getByRole('dialog', { name: 'Quit Lathe?' })).toBeVisible();
    await page.keyboard.press('Escape');

    await app.composer.focus();
    await page.keyboard.press('Control+`');
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused();
    await page.keyboard.type('echo kept-$((6*7))\n');
    await expect(app.terminals).toContainText('kept-42', A_WHILE);
    await page.keyboard.press('F6');
    await ask();
    await expect(question).toContainText('1 shell of your own.');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await question.getByRole('button', { name: 'Choose what goes on…' }).click();
    await expect(page.getByRole('tab', { name: 'Processes' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await ask();
    await question.getByRole('button', { name: 'Quit and keep terminals' }).click();
    await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
    await expect.poll(first.output, A_WHILE).toContain('Stopping. Goes on: all terminals.');
    await first.stop();

    const second = await startLathe(home);
    try {
      await page.getByRole('button', { name: 'Reload' }).click();
      await expect(app.terminals).toContainText('kept-42', A_WHILE);
      await app.composer.focus();
      await ask();
      await question.getByRole('button', { name: 'End everything and quit' }).click();
      await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
      await expect.poll(second.output, A_WHILE).toContain('Stopping; this ends 1 shell.');
    } finally {
      expect(await second.stop()).toEqual([]);
    }
  } finally {
    await first.stop();
    await api.close();
  }
});
