import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

/** The user's own settings, with a hook that blocks edits; gives the file. */
async function noEditsToday(home: string): Promise<string> {
  const file = join(home, '.claude', 'settings.json');
  const says = `echo "No edits today." >&2; printf '\\033[8mhush\\342\\200\\256' >&2; exit 2`;
  const hook = { type: 'command', command: says };
  const hooks = { PreToolUse: [{ matcher: 'Edit', hooks: [hook] }] };
  await mkdir(join(home, '.claude'), { recursive: true });
  await writeFile(file, JSON.stringify({ hooks }, null, 2));
  return file;
}

test('a hook of the user blocks an edit, and the conversation says so; it is switched off and removed in the settings, and an open session knows at once', async ({
  page,
  lathe,
}) => {
  const file = await noEditsToday(lathe.home);
  const edit = [
    reply([toolUse('Read', { file_path: 'ships.txt' })]),
    reply([toolUse('Edit', { file_path: 'ships.txt', old_string: 'tug', new_string: 'ferry' })]),
  ];
  const script = [...edit, reply('So be it.'), ...edit, reply('As you wish.')];
  await played({ page, lathe }, script, async (app, _, folder) => {
    await writeFiles(folder, { 'ships.txt': 'tug\n' });
    await test.step('it blocks an edit, and the conversation says so', async () => {
      await app.send('go');
      const row = app.conversation
        .getByRole('button', { name: /Hook PreToolUse \(Edit\)/ })
        .first();
      await expect(row).toContainText('blocked: No edits today.', A_WHILE);
      // Until then rows move up, away from where the mouse goes.
      await expect(app.conversation).toContainText('So be it.', A_WHILE);
      await row.click();
      await expect(app.conversation).toContainText('exit code 2');
      // What a hook prints cannot hide, and cannot turn the rest around.
      for (const name of [/escape/i, /U\+202E/]) {
        await expect(app.conversation.getByRole('img', { name })).toHaveCount(1);
      }
    });

    await test.step('it is switched off and removed, and an open session knows at once', async () => {
      await app.newSession();
      await app.send('/hooks');
      const settings = page.getByRole('dialog', { name: 'Settings' });
      const hook = settings.getByRole('listitem').filter({ hasText: 'No edits today.' });
      await expect(hook).toContainText('PreToolUse · Edit');
      await settings.getByRole('switch', { name: /Run no hooks/ }).click();
      await expect(settings).toContainText(
        'Off: disableAllHooks is set in ~/.claude/settings.json',
      );
      await page.keyboard.press('Escape');
      await app.send('go');
      // The edit is asked about: no hook stands in its way any more.
      await app.question('Edit');
      await app.deny('Edit');
      await expect(app.conversation).not.toContainText('Hook PreToolUse');
      await app.send('/hooks');
      await hook.getByRole('button', { name: /Remove this hook/ }).click();
      await hook.getByRole('button', { name: 'Remove', exact: true }).click();
      await expect(settings).toContainText('No hooks yet');
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
        hooks: { PreToolUse: [] },
        disableAllHooks: true,
      });
    });
  });
});
