import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type ScriptedApi, startScriptedApi } from '../support/scripted-api';
import { type Reply, reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, type AppPage } from './support/app-page';
import { expect, type Lathe, test } from './support/lathe';
import { KEY, openScripted, problems } from './support/scripted-app';

test.slow();

/** The app over a script, in the project `harbour`. */
async function played(
  { page, lathe }: { readonly page: Page; readonly lathe: Lathe },
  script: readonly Reply[],
  play: (app: AppPage, api: ScriptedApi, folder: string) => Promise<void>,
): Promise<void> {
  const api = await startScriptedApi(script, { apiKey: KEY });
  try {
    const app = await openScripted(page, lathe, api);
    await play(app, api, join(lathe.home, 'projects', 'harbour'));
    expect(api.refusals).toEqual([]);
  } finally {
    await api.close();
  }
}

const bash = (command: string) => reply([toolUse('Bash', { command })]);

test('a draft rule is tried on past calls while it is written; saved, it answers the next call', async ({
  page,
  lathe,
}) => {
  await played(
    { page, lathe },
    [
      bash('touch one.txt'),
      bash('rm -f one.txt'),
      bash('touch two.txt'),
      bash('touch three.txt'),
      reply('All there.'),
    ],
    async (app, _, folder) => {
      await app.send('make files');
      await app.allowOnce('touch one.txt');
      await app.allowOnce('rm -f one.txt');
      const dialog = await app.question('touch two.txt');
      await page.keyboard.press('Shift+Enter');
      const replay = dialog.getByRole('region', { name: 'What this rule would have changed' });
      await expect(replay).toContainText(
        'Of the last 3 calls in this project, 1 would no longer ask.',
      );
      const save = dialog.getByRole('button', { name: 'Save rule and allow' });
      const before = await save.boundingBox();

      const field = dialog.getByLabel('From now on, do not ask for');
      await field.fill('Bash(rm:*)');
      await expect(replay).toContainText('1 call of a kind to look at: deletes files for good.');
      expect(await save.boundingBox()).toEqual(before);
      await field.fill('Bash(');
      await expect(replay).toContainText('Once it is a rule');
      await field.fill('Bash(touch:*)');
      await expect(replay).toContainText('2 would no longer ask.');
      await expect(replay).not.toContainText('deletes');
      await expect(replay.getByRole('status')).toHaveAttribute('aria-busy', 'false');

      await field.press('Tab');
      await expect(replay.getByRole('button', { name: 'Show calls' })).toBeFocused();
      await page.keyboard.press('Enter');
      const rows = replay.getByRole('listitem');
      await expect(rows).toHaveCount(2);
      await expect(rows.first()).toContainText('touch two.txt');
      await expect(rows.first()).toContainText('asked → allowed');
      expect.soft(await problems(page)).toEqual([]);

      await field.focus();
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('All there.', A_WHILE);
      expect(await readFile(join(folder, 'three.txt'), 'utf8')).toBe('');
      expect(await readFile(join(folder, '.claude', 'settings.local.json'), 'utf8')).toContain(
        'Bash(touch:*)',
      );
    },
  );
});
