import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeLine } from '../../src/main/engine/event-log';
import { projectFolder } from '../../src/main/engine/sessions/paths';
import { LOG_VERSION } from '../../src/shared/agent-event';
import { accessibilityFaults } from '../support/accessibility';
import { reply } from '../support/scripted-api-replies';
import { expect, runCli, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

test('sessions are archived, deleted and had back, by keyboard too and on the command line; one that cannot be opened is listed, and says why', async ({
  page,
  lathe,
}) => {
  const project = join(lathe.home, 'projects', 'harbour');
  const folder = projectFolder(lathe.latheHome, project);
  await mkdir(join(folder, 'is-a-folder.jsonl'), { recursive: true });
  const version = LOG_VERSION + 1;
  const start = { type: 'session_started', version, cwd: project, createdAt: 1 } as const;
  await writeFile(
    join(folder, 'of-a-newer-one.jsonl'),
    encodeLine({ at: 1, event: start }) +
      encodeLine({ at: 2, event: { type: 'title_changed', title: 'from tomorrow' } }),
  );
  const script = [reply('So be it.'), reply('Aye.'), reply('Nay.')];
  await played({ page, lathe }, script, async (app) => {
    await page.keyboard.press('Alt+n');
    await test.step('a session that cannot be opened is listed, and says why', async () => {
      await app.send('name the buoys');
      await expect(app.conversation).toContainText('So be it.');
      const open = (name: string) =>
        app.sessions.getByRole('button', { name, exact: true }).click();
      await open('from tomorrow');
      await expect(
        page.getByText(/was written by a newer version of Lathe\. Update/),
      ).toBeVisible();
      await open('Damaged session');
      await expect(
        page.getByText(/^~\/\.lathe\/\S+is-a-folder\.jsonl is a folder, not a file\./),
      ).toBeVisible();
      await open('name the buoys');
      await expect(app.conversation).toContainText('So be it.');
    });

    await test.step('sessions are archived, deleted and had back', async () => {
      await app.newSession();
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
      await page.keyboard.press('Control+k');
      await page.keyboard.type('deleted sessions');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Deleted sessions' });
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await dialog.getByRole('button', { name: 'Restore name the tugs' }).press('Enter');
      await expect(dialog).toContainText('No deleted sessions');
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
      await expect(row('name the tugs')).toBeVisible();

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
});
