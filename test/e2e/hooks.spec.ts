import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { A_WHILE, AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

/** The person's own settings, with a hook that blocks edits; gives the file. */
async function noEditsToday(home: string): Promise<string> {
  const file = join(home, '.claude', 'settings.json');
  const says = `echo "No edits today." >&2; printf '\\033[8mhush\\342\\200\\256' >&2; exit 2`;
  const hook = { type: 'command', command: says };
  const hooks = { PreToolUse: [{ matcher: 'Edit', hooks: [hook] }] };
  await mkdir(join(home, '.claude'), { recursive: true });
  await writeFile(file, JSON.stringify({ hooks }, null, 2));
  return file;
}

test('a hook of the person blocks an edit, and the conversation says so', async ({
  page,
  lathe,
}) => {
  await noEditsToday(lathe.home);
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.send('go');
  await app.allowOnce('npm test');
  const row = app.conversation.getByRole('button', { name: /Hook PreToolUse \(Edit\)/ }).first();
  await expect(row).toContainText('blocked: No edits today.', A_WHILE);
  // Until then rows move up, away from where the mouse goes.
  await expect(app.conversation).toContainText('the end of the scripted tour', A_WHILE);
  await row.click();
  await expect(app.conversation).toContainText('exit code 2');
  // What a hook prints cannot hide, and cannot turn the rest around.
  for (const name of [/escape/i, /U\+202E/]) {
    await expect(app.conversation.getByRole('img', { name })).toHaveCount(1);
  }
});

test('hooks are switched off and removed in the settings, and an open session knows at once', async ({
  page,
  lathe,
}) => {
  const file = await noEditsToday(lathe.home);
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.send('/hooks');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  const hook = settings.getByRole('listitem').filter({ hasText: 'No edits today.' });
  await expect(hook).toContainText('PreToolUse · Edit');
  await settings.getByRole('switch', { name: /Run no hooks/ }).click();
  await expect(settings).toContainText('Off: disableAllHooks is set in ~/.claude/settings.json');
  await page.keyboard.press('Escape');
  await app.send('go');
  await app.allowOnce('npm test');
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
