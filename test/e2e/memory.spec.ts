import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

test('a line with # is kept where the user chooses, and the memory page shows what counts', async ({
  page,
  lathe,
}) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.send('# always use tabs');
  const dialog = page.getByRole('dialog', { name: 'Keep in mind' });
  await expect(dialog).toContainText('CLAUDE.md');
  await dialog.getByRole('radio', { name: 'Me, everywhere' }).click();
  await expect(dialog).toContainText('~/.claude/CLAUDE.md');
  // Nothing is written before the user says so, and the words are still in the message box.
  await page.keyboard.press('Escape');
  await expect(app.composer).toHaveValue('# always use tabs');
  await app.composer.press('Enter');
  await dialog.getByRole('radio', { name: 'Me, everywhere' }).click();
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await expect(app.composer).toHaveValue('');
  const file = join(lathe.home, '.claude', 'CLAUDE.md');
  await expect.poll(() => readFile(file, 'utf8').catch(() => null)).toBe('- always use tabs\n');
  await mkdir(join(lathe.home, 'team'));
  await writeFile(join(lathe.home, 'team', 'style.md'), 'the style');
  // The way from one memory file to another that is not there, both below the home folder.
  await writeFile(file, '- always use tabs\n@~/team/gone.md\n');
  await app.send('/memory');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await expect(settings).toContainText('~/.claude/CLAUDE.md');
  await expect(settings).toContainText('tokens');
  // A path breaks between names in a narrow window.
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 800 });
  const name = settings.getByText('CLAUDE.md', { exact: true }).first();
  await expect.poll(() => name.evaluate((shown) => shown.getClientRects().length)).toBe(1);
  if (size !== null) await page.setViewportSize(size);
  const leftOut = settings.getByRole('region', { name: 'Left out' });
  await expect(leftOut).toContainText('gone.md');
  await expect(leftOut).not.toContainText(lathe.home);
  // A session that begins without it says so in the same words.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+n');
  await app.send('look around');
  const notice = app.conversation.getByText('names no file');
  await expect(notice).toContainText('~/.claude/CLAUDE.md, line 2');
  await expect(notice).not.toContainText(lathe.home);
});
