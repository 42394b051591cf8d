import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply } from '../support/scripted-api-replies';
import { expect, runCli, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

test('sessions are archived, deleted and had back, by keyboard too and on the command line', async ({
  page,
  lathe,
}) => {
  await played({ page, lathe }, [reply('Aye.'), reply('Nay.')], async (app) => {
    await app.send('name the ferries');
    await expect(app.conversation).toContainText('Aye.');
    await page.keyboard.press('Alt+n');
    await app.send('name the tugs');
    await expect(app.conversation).toContainText('Nay.');
    const list = page.getByRole('navigation', { name: 'Sessions' });
    const row = (title: string) => list.getByRole('button', { name: title, exact: true });
    const choose = async (title: string, item: string) => {
      await list.getByRole('button', { name: `More for ${title}` }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: item, exact: true }).focus();
      await page.keyboard.press('Enter');
    };

    await choose('name the ferries', 'Archive');
    await expect(row('name the ferries')).toBeHidden();
    await list.getByRole('button', { name: '1 archived session' }).click();
    await expect(list.getByRole('button', { name: /^name the ferries/ })).toBeVisible();
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.reload();
    await expect(list.getByRole('button', { name: '1 archived session' })).toBeVisible();
    await expect(row('name the ferries')).toBeHidden();

    await choose('name the tugs', 'Delete');
    await expect(row('name the tugs')).toBeHidden();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row('name the tugs')).toBeVisible();
    await row('name the tugs').click();
    await expect(app.conversation).toContainText('Nay.');

    await choose('name the tugs', 'Delete');
    await expect(row('name the tugs')).toBeHidden();
    const [trashed = ''] = await readdir(join(lathe.latheHome, 'trash'));
    const id = trashed.replace(/^\d+-/, '');
    const kept = (act: string, sessionId: string) =>
      runCli(lathe.home, ['sessions', act, sessionId]);
    expect((await runCli(lathe.home, ['sessions', 'search', 'tugs'])).output).toContain(
      'No conversation has that.',
    );
    expect(await kept('restore', id)).toMatchObject({ exitCode: 0 });
    const found = await runCli(lathe.home, ['sessions', 'search', 'tugs']);
    expect(found.output).toContain(id);
    expect(await kept('archive', id)).toMatchObject({ exitCode: 0 });
    expect(await kept('restore', id)).toMatchObject({ exitCode: 1 });
  });
});
