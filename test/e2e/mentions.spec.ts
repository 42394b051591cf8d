import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { lastTold, played, problems } from './support/scripted-app';

test.slow();

/** Writes files into a project. */
async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

const FILES = {
  '.gitignore': 'dist\n',
  'src/auth.ts': 'export const login = 1;\n',
  'src/login form.ts': 'export const form = 2;\n',
  'dist/auth.js': 'built\n',
};

test('files are found by @, mentioned by keyboard, and reach the model', async ({
  page,
  lathe,
}) => {
  const script = [reply('Seen.'), reply('Seen again.')];
  await played({ page, lathe }, script, async (app, api, folder) => {
    await write(folder, FILES);
    const files = page.getByRole('listbox', { name: 'Files' });
    const options = files.getByRole('option');
    await app.composer.pressSequentially('look at @aut');
    await expect(options).toHaveCount(1);
    await expect(options).toContainText('auth.ts');
    expect.soft(await problems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect(app.composer).toHaveValue('look at @src/auth.ts ');
    await expect(files).toBeHidden();

    // Into a folder with Tab, on to a file in it, whose spaces need quotes.
    await app.composer.pressSequentially('and @sr');
    await expect(options.first()).toContainText('src/');
    await page.keyboard.press('Tab');
    await expect(app.composer).toHaveValue('look at @src/auth.ts and @src/');
    await app.composer.pressSequentially('form');
    await expect(options).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(app.composer).toHaveValue('look at @src/auth.ts and @"src/login form.ts" ');
    await page.keyboard.press('Enter');
    await expect(app.conversation).toContainText('Seen.');
    expect(lastTold(api)).toContain('export const login = 1;');
    expect(lastTold(api)).toContain('export const form = 2;');

    // Esc leaves the words as they are, and Enter then sends them.
    await app.composer.pressSequentially('no @auth');
    await expect(options).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(files).toBeHidden();
    await expect(app.composer).toHaveValue('no @auth');
    await page.keyboard.press('Enter');
    await expect(app.conversation).toContainText('Seen again.');

    // What is recalled was typed before: its mention opens no list, so that Up goes on.
    await page.keyboard.press('ArrowUp');
    await expect(app.composer).toHaveValue('no @auth');
    await page.keyboard.press('ArrowUp');
    await expect(app.composer).toHaveValue('look at @src/auth.ts and @"src/login form.ts" ');
  });
});
