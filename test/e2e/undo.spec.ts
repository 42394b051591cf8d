import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

test('what a command did to files is undone from its card and redone; a prompt goes back with files', async ({
  page,
  lathe,
}) => {
  await writeFiles(lathe.home, {
    '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash', 'Edit', 'Write'] } }),
    'projects/harbour/config.txt': 'colour = old\n',
    'projects/harbour/mine.txt': 'one\n',
  });
  const changes = 'sed -i s/old/new/ config.txt && echo two > made.txt && echo two > mine.txt';
  const script = [
    reply([toolUse('Bash', { command: changes, description: 'Change the files' })]),
    reply('All changed.'),
  ];
  await played({ page, lathe }, script, async (app, _, folder) => {
    const content = (name: string) => readFile(join(folder, name), 'utf8').catch(() => null);
    const dialog = page.getByRole('dialog');
    await app.send('change them');
    await expect(app.conversation).toContainText('All changed.', A_WHILE);
    await app.conversation.getByRole('button', { name: /Bash/ }).first().click();
    await expect(app.conversation).toContainText('Changed 3 files');
    await writeFile(join(folder, 'mine.txt'), 'the text of the user\n');

    // A file that the user changed since is named, and left alone.
    await app.conversation.getByRole('button', { name: 'Undo…' }).click();
    await expect(dialog).toContainText('Undo what this call changed');
    await expect(dialog.getByRole('region', { name: 'Changes 2 files' })).toContainText(
      'config.txt',
    );
    await expect(dialog.getByRole('region', { name: 'Left as they are' })).toContainText(
      'mine.txt',
    );
    await dialog.getByRole('button', { name: /config\.txt/ }).click();
    await expect(dialog).toContainText('colour = new');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await dialog.getByRole('button', { name: 'Restore 2 files' }).click();
    await expect(app.conversation).toContainText('Undid what a call changed: 2 files');
    await expect.poll(() => content('config.txt')).toBe('colour = old\n');
    await expect.poll(() => content('made.txt')).toBeNull();
    await expect.poll(() => content('mine.txt')).toBe('the text of the user\n');

    await app.conversation.getByRole('button', { name: 'Redo…' }).click();
    await dialog.getByRole('button', { name: 'Restore 2 files' }).click();
    await expect.poll(() => content('made.txt')).toBe('two\n');
    await expect.poll(() => content('config.txt')).toBe('colour = new\n');

    // Back to before the prompt, by keyboard, with the file of the user by a choice of its own.
    await app.composer.press('Escape');
    await app.composer.press('Escape');
    await page.keyboard.press('Enter');
    await expect(dialog).toContainText('Go back to before this prompt');
    await dialog.getByRole('switch', { name: 'Overwrite these too' }).click();
    await dialog.getByRole('button', { name: 'Files and conversation' }).click();
    await expect(app.composer).toHaveValue('change them');
    await expect(app.conversation).not.toContainText('All changed.');
    await expect.poll(() => content('config.txt')).toBe('colour = old\n');
    await expect.poll(() => content('made.txt')).toBeNull();
    await expect.poll(() => content('mine.txt')).toBe('one\n');

    // Redo brings all of it back, the text of the user too.
    await app.conversation.getByRole('button', { name: 'Redo…' }).last().click();
    await dialog.getByRole('button', { name: 'Restore 3 files' }).click();
    await expect.poll(() => content('mine.txt')).toBe('the text of the user\n');
    await expect.poll(() => content('made.txt')).toBe('two\n');
  });
});
