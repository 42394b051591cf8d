import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply, text } from '../support/scripted-api-replies';
import { CLIPBOARD, expect, startLathe, test } from './support/lathe';
import { lastTold, played, writeFiles } from './support/scripted-app';

test.slow();

const FILES = {
  '.gitignore': 'dist\n',
  'src/auth.ts': 'export const login = 1;\n',
  'src/login form.ts': 'export const form = 2;\n',
  'dist/auth.js': 'built\n',
};

test('files are found by @ and by Ctrl+P, shown at a line, mentioned by keyboard, and reach the model; MEM-003: none hides anything, in it or in its name', async ({
  page,
  lathe,
}) => {
  const odd = { ' pier.txt': 'ahead', 'pier.txt ': 'behind', 'pier\u202egnp.exe': 'turned' };
  const lines = Array.from({ length: 5000 }, (_, n) => `export const answer${n + 1} = ${n};`);
  const script = [reply('Found.'), reply('Found again.'), reply('Seen.')];
  await played({ page, lathe }, script, async (app, api, folder) => {
    const picker = page.getByRole('dialog', { name: 'Find a file' });
    await writeFiles(folder, {
      ...FILES,
      ...odd,
      'boat.txt': 'another',
      'CLAUDE.md': 'Do x.\u200b\u200b\u{e0001}\u{e0072}\n',
      'src/long.ts': lines.join('\r\n'),
    });
    await test.step('a file hides nothing from who looks at it', async () => {
      await app.composer.press('Control+p');
      await expect(picker.getByRole('option')).toHaveCount(6);
      await page.keyboard.insertText('claude');
      await expect(picker.getByRole('option').first()).toContainText('CLAUDE.md');
      await page.keyboard.press('Enter');
      const viewer = page.getByRole('dialog', { name: 'CLAUDE.md' });
      await expect(viewer.getByRole('img', { name: /U\+200B/ })).not.toHaveCount(0);
      await expect(viewer.getByRole('img', { name: /U\+E0072/i })).not.toHaveCount(0);
      await page.keyboard.press('Escape');
      await expect(viewer).toBeHidden();
    });

    await test.step('a file whose name has spaces at its ends opens, and a name hides nothing', async () => {
      const left = new Set(Object.values(odd));
      for (const downs of [0, 1, 2]) {
        await app.composer.focus();
        await page.keyboard.press('Control+p');
        await expect(picker.getByRole('option')).toHaveCount(6);
        // At once: each letter would bring another list, and the keys go to the last one.
        await page.keyboard.insertText('pier');
        await expect(picker.getByRole('option')).toHaveCount(3);
        await expect(picker.getByRole('img', { name: /right-to-left override/ })).toBeVisible();
        for (let down = 0; down < downs; down += 1) await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        const viewer = page.getByRole('dialog', { name: /pier/ });
        const line = viewer.locator('[data-line="1"]');
        await expect(line).toHaveText(/ahead|behind|turned/);
        const words = (await line.innerText()).replace(/\W|\d/g, '');
        expect(left.delete(words)).toBe(true);
        if (words === 'turned')
          await expect(viewer.getByRole('heading')).toContainText('pierU+202Egnp.exe');
        await page.keyboard.press('Escape');
        await expect(viewer).toBeHidden();
      }
    });

    await test.step('files are found by @, mentioned by keyboard, and reach the model', async () => {
      const files = page.getByRole('listbox', { name: 'Files' });
      const options = files.getByRole('option');
      await app.composer.pressSequentially('look at @aut');
      await expect(options).toHaveCount(1);
      await expect(options).toContainText('auth.ts');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
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
      await expect(app.conversation).toContainText('Found.');
      expect(lastTold(api)).toContain('export const login = 1;');
      expect(lastTold(api)).toContain('export const form = 2;');

      // Esc leaves the words as they are, and Enter then sends them.
      await app.composer.pressSequentially('no @auth');
      await expect(options).toHaveCount(1);
      await page.keyboard.press('Escape');
      await expect(files).toBeHidden();
      await expect(app.composer).toHaveValue('no @auth');
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('Found again.');

      // What is recalled was typed before: its mention opens no list, so that Up goes on.
      await page.keyboard.press('ArrowUp');
      await expect(app.composer).toHaveValue('no @auth');
      await page.keyboard.press('ArrowUp');
      await expect(app.composer).toHaveValue('look at @src/auth.ts and @"src/login form.ts" ');
    });

    await test.step('Ctrl+P finds a file, shows it at a line, and takes its lines into the prompt', async () => {
      await app.newSession();
      await app.composer.focus();
      await page.keyboard.press('Control+p');
      await expect(picker.getByRole('option').first()).toBeVisible();
      await page.keyboard.type('long:3210');
      await expect(picker.getByRole('option')).toHaveCount(1);
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await page.keyboard.press('Enter');
      const viewer = page.getByRole('dialog', { name: 'src/long.ts' });
      await expect(viewer.locator('[aria-current]')).toHaveText(
        '3210export const answer3210 = 3209;',
      );
      await expect(viewer.locator('[aria-current]')).toBeInViewport();
      await expect(viewer.getByRole('group', { name: 'Lines of src/long.ts' })).toBeFocused();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await page.keyboard.press('End');
      await expect(viewer.getByText('answer5000 =')).toBeInViewport();
      await page.keyboard.press('Home');
      await expect(viewer.getByText('answer1 =')).toBeInViewport();
      await viewer.getByRole('button', { name: 'Add to prompt' }).press('Enter');
      await expect(app.composer).toHaveValue('@src/long.ts#L3210 ');
      await expect(app.composer).toBeFocused();
      await page.keyboard.type('what is this?');
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('Seen.');
      expect(lastTold(api)).toContain('answer3210 = 3209');
      expect(lastTold(api)).not.toContain('answer3211');

      await page.keyboard.press('Control+p');
      // Keys that are quicker than the list wait for it.
      await page.keyboard.type('auth');
      await page.keyboard.press('Control+Enter');
      await expect(app.composer).toHaveValue('@src/auth.ts ');
      await page.keyboard.press('Control+p');
      await page.keyboard.type('zzz');
      await expect(picker.getByRole('status')).toHaveText('No file has that name.');
      await page.keyboard.press('Escape');
      await expect(picker).toBeHidden();
      await expect(app.composer).toBeFocused();
    });
  });
});

test.describe('a file that the answer names', () => {
  test.use(CLIPBOARD);

  test('opens in the viewer, and from there in the editor of the user', async ({ page, home }) => {
    const bin = join(home, 'bin');
    const said = join(home, 'said');
    await writeFiles(bin, { code: `#!/bin/sh\nprintf '%s' "$*" > "${said}"\n` });
    await chmod(join(bin, 'code'), 0o755);
    const lathe = await startLathe(home, [], { PATH: `${bin}:${process.env['PATH']}` });
    const answer = reply(text('Look at `src/auth.ts:2`, and at `src/gone.ts`.'));
    try {
      await played({ page, lathe }, [answer], async (app, _, folder) => {
        await writeFiles(folder, { 'src/auth.ts': 'one\nexport const two = 2;\n' });
        await app.send('where?');
        await app.conversation.getByRole('button', { name: 'src/auth.ts:2' }).click();
        const viewer = page.getByRole('dialog', { name: 'src/auth.ts' });
        await expect(viewer.locator('[aria-current]')).toHaveText('2export const two = 2;');
        await viewer.getByRole('button', { name: 'Open in editor' }).click();
        await expect
          .poll(() => readFile(said, 'utf8').catch(() => ''))
          .toBe(`--goto ${join(folder, 'src/auth.ts')}:2:1`);
        await page.keyboard.press('Escape');
        await app.conversation.getByRole('button', { name: 'src/gone.ts' }).click();
        await expect(page.getByRole('dialog')).toContainText('There is no src/gone.ts.');
        await page.keyboard.press('Escape');
        await writeFile(join(folder, 'src/gone.ts'), '');
        await app.conversation.getByRole('button', { name: 'src/gone.ts' }).click();
        await expect(page.getByRole('dialog')).toContainText('This file is empty.');
      });
    } finally {
      expect(await lathe.stop()).toEqual([]);
    }
  });
});
