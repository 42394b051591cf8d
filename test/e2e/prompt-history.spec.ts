import { accessibilityFaults } from '../support/accessibility';
import { hold, reply, text } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { gate, played } from './support/scripted-app';

test.slow();

test('prompts of the project come back by Up and by Ctrl+R, in another session and after a reload; a queued one of several lines is shown whole', async ({
  page,
  lathe,
}) => {
  const end = gate();
  const script = [
    reply('One.'),
    reply('Two.'),
    reply([text('Working.'), hold(end.opened), text('Done.')]),
    reply('After.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    await test.step('by Up and by Ctrl+R, in another session and after a reload', async () => {
      const found = page.getByRole('dialog', { name: 'Find a prompt sent before' });
      await app.send('paint the first\nhouse red');
      await expect(app.conversation).toContainText('One.');
      await app.send('mow the lawn');
      await expect(app.conversation).toContainText('Two.');
      await page.keyboard.press('Alt+n');
      await expect(app.conversation).not.toContainText('Two.');
      await page.reload();
      await expect(app.composer).toBeFocused();
      // What was sent is still being read. An empty field begins at the last prompt again.
      await expect(async () => {
        await app.composer.fill('');
        await page.keyboard.press('ArrowUp');
        await expect(app.composer).toHaveValue('mow the lawn', { timeout: 5_000 });
      }).toPass();
      await page.keyboard.press('ArrowUp');
      await expect(app.composer).toHaveValue('paint the first\nhouse red');
      await page.keyboard.press('Escape');
      await expect(app.composer).toHaveValue('');

      await page.keyboard.type('house');
      await page.keyboard.press('Control+r');
      await expect(found.getByRole('option')).toHaveText(['paint the first\nhouse red']);
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(app.composer).toHaveValue('house');
      await page.keyboard.press('Control+r');
      await expect(found.getByRole('option')).toHaveCount(1);
      await page.keyboard.press('Enter');
      await expect(app.composer).toHaveValue('paint the first\nhouse red');
      await expect(app.composer).toBeFocused();
      await app.composer.fill('');
      await page.keyboard.press('Control+r');
      await expect(found.getByRole('option')).toHaveText([
        'mow the lawn',
        'paint the first\nhouse red',
      ]);
      await page.keyboard.type('zzz');
      await expect(found.getByRole('status')).toHaveText('No prompt has these words.');
      await page.keyboard.press('Escape');
      await expect(found).toBeHidden();
    });

    await test.step('a queued message of several lines is shown whole', async () => {
      await app.send('begin');
      await expect(app.conversation).toContainText('Working.');
      await app.send('first line\nsecond line\nthe very last line');
      const queued = page.getByRole('list', { name: 'Queued prompts' });
      await expect(queued).toContainText('the very last line');
      await expect(queued.getByText('the very last line')).toBeInViewport({ ratio: 1 });
      end.open();
      await expect(app.conversation).toContainText('After.');
    });
  });
});
