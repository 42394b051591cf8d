import { accessibilityFaults } from '../support/accessibility';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

test('the table of contents lists prompts and headings, and goes to the chosen one', async ({
  page,
  lathe,
}) => {
  const part = (name: string) =>
    `## ${name}\n\n${Array.from({ length: 25 }, (_, n) => `${name}, paragraph ${n}.`).join('\n\n')}`;
  const script = [
    reply(`${part('Causes')}\n\n${part('Cures')}`),
    reply('Short. No headings here.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('explain the ferries');
    await expect(app.conversation).toContainText('Cures, paragraph 24.');
    await app.send('and in short?');
    await expect(app.conversation).toContainText('No headings here.');

    await app.composer.fill('/contents');
    await app.composer.press('Enter');
    const contents = page.getByRole('dialog', { name: 'Contents of the conversation' });
    await expect(contents.getByRole('option')).toHaveText([
      'explain the ferries',
      'Causes',
      'Cures',
      'and in short?',
    ]);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await contents.getByRole('combobox').fill('cur');
    await page.keyboard.press('Enter');
    await expect(contents).toBeHidden();
    await expect(app.conversation.getByRole('heading', { name: 'Cures' })).toBeInViewport();
    await expect(app.conversation.getByText('No headings here.')).not.toBeInViewport();
  });
});
