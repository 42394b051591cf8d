import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

test('what commands changed is listed without git, a hunk and a file are taken back, and a comment goes into the prompt', async ({
  page,
  lathe,
}) => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`);
  await writeFiles(lathe.home, {
    '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash', 'Edit', 'Write'] } }),
    'projects/harbour/ships.txt': lines.join(''),
    'projects/harbour/old.txt': 'old\n',
  });
  const command = "sed -i -e 's/line 3$/ferry/' -e 's/line 30/tug/' ships.txt && rm old.txt";
  const script = [
    reply([toolUse('Bash', { command, description: 'Change the files' })]),
    reply('All changed.'),
  ];
  await played({ page, lathe }, script, async (app, _, folder) => {
    const content = (name: string) => readFile(join(folder, name), 'utf8').catch(() => null);
    await app.send('change them');
    await expect(app.conversation).toContainText('All changed.', A_WHILE);
    await page.keyboard.press('Control+Shift+D');
    const files = page.getByRole('list', { name: 'Changed files' });
    await expect(files.getByRole('listitem')).toHaveCount(2);
    await expect(files).toContainText('deleted');

    await files.getByRole('button', { name: /^ships\.txt/ }).click();
    const first = page.getByRole('region', { name: 'Change at line 3', exact: true });
    await expect(first).toContainText('ferry');
    await expect(page.getByRole('region', { name: 'Change at line 30' })).toContainText('tug');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

    await first.getByRole('button', { name: 'Comment on line 4', exact: true }).click();
    const comment = page.getByRole('textbox', { name: 'Comment on line 4', exact: true });
    await comment.fill('Why not a barge?');
    // A window that got narrow takes the dock away in the same manner.
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await expect(comment).toBeHidden();
    await page.getByRole('tab', { name: 'Changes' }).click();
    // It takes the keyboard from nobody, and goes on where it was left.
    await app.composer.focus();
    await page.setViewportSize({ width: 800, height: 800 });
    await expect(comment).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(comment).toBeVisible();
    await expect(app.composer).toBeFocused();
    await comment.focus();
    await page.keyboard.type('!');
    await expect(comment).toHaveValue('Why not a barge?!');
    await page.getByRole('button', { name: 'Add to prompt' }).click();
    await expect(app.composer).toHaveValue(/ships\.txt#L4: Why not a barge\?/);

    await first.getByRole('button', { name: 'Take back' }).click();
    await expect(app.conversation).toContainText('Took back changes of ships.txt');
    await expect.poll(() => content('ships.txt')).toBe(lines.with(29, 'tug\n').join(''));
    await expect(page.getByRole('region', { name: /^Change at/ })).toHaveCount(1);

    await page.getByRole('radio', { name: 'Side by side' }).click();
    await expect(page.getByRole('region', { name: 'Change at line 30' })).toContainText('tug');

    await files.getByRole('button', { name: 'Take the changes of old.txt back…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore 1 file' }).click();
    await expect.poll(() => content('old.txt')).toBe('old\n');
    await expect(files.getByRole('listitem')).toHaveCount(1);

    // What the user changes in between shows, and is not taken back unasked.
    await writeFile(join(folder, 'ships.txt'), 'all mine\n');
    await page.getByRole('button', { name: 'Compare again' }).click();
    await expect(files).toContainText('changed by others too');
    await page.getByRole('button', { name: 'Take all back…' }).click();
    await expect(page.getByRole('dialog')).toContainText('Left as they are');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => content('ships.txt')).toBe('all mine\n');
  });
});
